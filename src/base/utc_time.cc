#include "base/utc_time.h"

#include <array>
#include <ctime>

namespace yonder {

std::string utc_time(std::int64_t ms) {
  const auto seconds = static_cast<std::time_t>(ms / 1000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) return std::to_string(ms);
  std::array<char, 64> out{};
  const std::size_t size = std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {out.data(), size};
}

}  // namespace yonder
