#include "base/far_text.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder {
namespace {

constexpr std::size_t kLongestName = 64;

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

}  // namespace

std::string quoted_far_text(std::string_view text, std::size_t most) {
  const bool cut = text.size() > most;
  // Escape codes go, lines become one, and only then is the rest made printable.
  std::string line = clean_text(trim(text.substr(0, most))).text;
  std::replace(line.begin(), line.end(), '\n', ' ');
  std::replace(line.begin(), line.end(), '\t', ' ');
  std::replace(line.begin(), line.end(), '\'', '"');
  return concat("'", printable(line), cut ? "…" : "", "'");
}

std::string machine_said(std::string_view text) {
  return trim(text).empty() ? std::string("the machine gave no reason")
                            : concat("the machine said: ", quoted_far_text(text));
}

std::string far_name(std::string_view name) {
  const bool plain = !name.empty() && name.size() <= kLongestName &&
                     std::all_of(name.begin(), name.end(), is_plain);
  return plain ? std::string(name) : quoted_far_text(name, kLongestName);
}

}  // namespace yonder
