#include "fuzz/gpus.h"
#include "outpost/amd.h"

// amd-smi, which answers four questions, and rocm-smi, which answers one.
namespace yonder::fuzz {
namespace {

outpost::Said said(std::string_view text) {
  return {.out = std::string(text)};
}

void amd(std::string_view bytes) {
  Pieces pieces(bytes);
  if (pieces.byte() % 2 == 1) {
    return require_good_gpus(outpost::parse_rocm_smi(said(pieces.rest())));
  }
  outpost::AmdSmiAnswers answers{.metric = said(pieces.piece()),
                                 .list = said(pieces.piece()),
                                 .asic = said(pieces.piece()),
                                 .processes = said(pieces.piece())};
  outpost::KfdGpu gpu;
  if (outpost::parse_kfd_node(pieces.rest(), gpu)) answers.kfd = {gpu, gpu};
  require_good_gpus(outpost::parse_amd_smi(answers));
}

const Registered kAmd("amd", amd);

}  // namespace
}  // namespace yonder::fuzz
