#include "fuzz/target.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace yonder::fuzz {
namespace {

// A function's own: the order in which files begin is not known.
std::vector<Target>& known() {
  static std::vector<Target> all;
  return all;
}

bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7F;
  // U+0080 to U+009F: some terminals obey them.
  return first == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0;
}

}  // namespace

Registered::Registered(std::string name, void (*look)(std::string_view bytes),
                       std::vector<std::string> (*samples)()) {
  known().push_back({.name = std::move(name), .look = look, .samples = samples});
}

const std::vector<Target>& targets() {
  auto& all = known();
  std::sort(all.begin(), all.end(),
            [](const Target& a, const Target& b) { return a.name < b.name; });
  return all;
}

void require(bool so, const char* promise) {
  if (!so) throw std::logic_error(concat("broken promise: ", promise));
}

void require_printable(std::string_view text, const char* what) {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    require(length > 0 && !is_control(text.substr(0, length)), what);
    text.remove_prefix(length);
  }
}

std::size_t Pieces::byte() {
  if (rest_.empty()) return 0;
  const auto first = static_cast<unsigned char>(rest_.front());
  rest_.remove_prefix(1);
  return first;
}

std::string_view Pieces::piece() {
  const std::size_t end = std::min(rest_.find('\xFF'), rest_.size());
  const std::string_view found = rest_.substr(0, end);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return found;
}

std::string in_pieces(const std::vector<std::string>& pieces) {
  return join(pieces, "\xFF");
}

}  // namespace yonder::fuzz
