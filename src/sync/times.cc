#include "sync/times.h"

#include <array>
#include <cstddef>

namespace yonder::sync {
namespace {

constexpr std::int64_t kSecond = 1000000000;
constexpr std::array<std::int64_t, 7> kSteps{
    1, 100, 1000, kSecond / 1000, kSecond / 100, kSecond, 2 * kSecond};

}  // namespace

std::int64_t time_step_of(const std::vector<tree::Entry>& entries) {
  if (entries.empty()) return 1;
  std::size_t at = kSteps.size() - 1;
  for (const auto& entry : entries) {
    while (entry.mtime_ns % kSteps.at(at) != 0) --at;
    if (at == 0) break;
  }
  return kSteps.at(at);
}

std::int64_t as_kept(std::int64_t time_ns, std::int64_t step) {
  const std::int64_t rest = time_ns % step;
  return time_ns - (rest < 0 ? rest + step : rest);
}

}  // namespace yonder::sync
