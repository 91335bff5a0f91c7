#pragma once

#include <cstdint>
#include <string>

namespace yonder {

// Milliseconds since the epoch → "2026-01-31T12:00:00Z".
std::string utc_time(std::int64_t ms);

}  // namespace yonder
