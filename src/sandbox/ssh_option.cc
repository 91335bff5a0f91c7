#include "sandbox/ssh_option.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::sandbox {
namespace {

bool is_control(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool needs_quotes(std::string_view text) {
  return text.find_first_of(" \"'\\#=") != std::string_view::npos;
}

}  // namespace

Result<std::string> ssh_path_option(std::string_view keyword, std::string_view path) {
  const auto refused = [&](std::string_view why) {
    return Error{Errc::InvalidArgument, concat("the path ", printable(path), " ", why), ""};
  };
  if (!path.starts_with('/')) return refused("is not absolute");
  if (std::any_of(path.begin(), path.end(), is_control)) {
    return refused("contains control characters");
  }
  if (path.find("${") != std::string_view::npos) {
    return refused("contains \"${\", which ssh would expand");
  }
  std::string value;
  for (const char c : path) {
    if (c == '"' || c == '\\') value += '\\';
    if (c == '%') value += '%';
    value += c;
  }
  if (needs_quotes(path)) return concat(keyword, "=\"", value, "\"");
  return concat(keyword, "=", value);
}

}  // namespace yonder::sandbox
