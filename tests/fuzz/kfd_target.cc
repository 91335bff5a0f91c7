#include "fuzz/target.h"
#include "outpost/gpu_values.h"
#include "outpost/kfd.h"

// What the kernel says of a compute node, and a place of PCI that a tool has named.
namespace yonder::fuzz {
namespace {

void kfd(std::string_view bytes) {
  Pieces pieces(bytes);
  std::vector<outpost::KfdGpu> all;
  for (int i = 0; i < 3; ++i) {
    outpost::KfdGpu node;
    if (outpost::parse_kfd_node(pieces.piece(), node)) all.push_back(node);
  }
  resources::Gpu gpu;
  outpost::name_by_kfd(gpu, pieces.rest(), all);
  require(outpost::plain_id(gpu.uuid) == gpu.uuid, "an identity is plain");
  require_printable(gpu.device + gpu.never + gpu.trouble, "what is said of it can be shown");
  require(!gpu.uuid.empty() || !gpu.never.empty(), "it has a name, or a reason for none");
}

const Registered kKfd("kfd", kfd);

}  // namespace
}  // namespace yonder::fuzz
