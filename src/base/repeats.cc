#include "base/repeats.h"

#include "base/text.h"

namespace yonder {
namespace {

// Fewer are shown as they are: that is shorter, and exact.
constexpr std::size_t kWorthCounting = 3;

struct Repeated {
  std::string_view line;  // with its newline, if it has one
  std::size_t times = 0;
};

void append(std::string& out, const Repeated& repeated) {
  if (repeated.times < kWorthCounting) {
    for (std::size_t i = 0; i < repeated.times; ++i) out += repeated.line;
    return;
  }
  out += repeated.line;
  out += concat("[the same line ", repeated.times - 1, " times more]\n");
}

}  // namespace

std::string fold_repeats(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Repeated current;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::size_t length = end == std::string_view::npos ? text.size() : end + 1;
    const std::string_view line = text.substr(0, length);
    text.remove_prefix(length);
    if (line == current.line) {
      ++current.times;
      continue;
    }
    append(out, current);
    current = {line, 1};
  }
  append(out, current);
  return out;
}

}  // namespace yonder
