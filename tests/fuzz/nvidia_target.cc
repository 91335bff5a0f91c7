#include "fuzz/gpus.h"
#include "outpost/nvidia.h"

// nvidia-smi: what it answers to three questions, and how it ended.
namespace yonder::fuzz {
namespace {

void nvidia(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t how = pieces.byte();
  const int status = how % 4 == 3 ? 9 : 0;
  const outpost::Said table{.out = std::string(pieces.piece()), .status = status};
  const outpost::Said apps{.out = std::string(pieces.piece()), .status = how % 8 == 7 ? 2 : 0};
  auto list = outpost::parse_nvidia_gpus(
      table, how % 2 == 0 ? outpost::MigField::Asked : outpost::MigField::NotAsked);
  require(status == 0 || !list, "a tool that failed is not believed");
  [[maybe_unused]] const bool old = outpost::knows_no_mig(table);
  const auto slices = outpost::parse_nvidia_slices(pieces.rest());
  if (list) {
    for (auto& gpu : *list.value) {
      const auto found = slices.find(gpu.uuid);
      if (found != slices.end()) gpu.slices = found->second;
    }
    outpost::assign_apps(*list.value, outpost::parse_nvidia_apps(apps));
  }
  require_good_gpus(list);
}

const Registered kNvidia("nvidia", nvidia);

}  // namespace
}  // namespace yonder::fuzz
