#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace yonder {

// RFC 4648, with padding.
std::string to_base64(std::string_view bytes);
// White space between is ignored; padding may be left out. Nothing when it is not base64.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace yonder
