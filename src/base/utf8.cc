#include "base/utf8.h"

#include <algorithm>

namespace yonder {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Calls `on_text` for characters and `on_byte` for everything else, in order.
template <class OnText, class OnByte>
void walk(std::string_view bytes, OnText on_text, OnByte on_byte) {
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    if (length == 0) {
      on_byte(static_cast<unsigned char>(bytes.front()));
    } else {
      on_text(bytes.substr(0, length));
    }
    bytes.remove_prefix(std::max<std::size_t>(length, 1));
  }
}

}  // namespace

std::size_t utf8_length(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const auto continues = [&](std::size_t i) {
    return i < bytes.size() && (at(i) & 0xC0U) == 0x80U;
  };
  const unsigned char first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first <= 0xDF) return continues(1) ? 2 : 0;
  if (first >= 0xE0 && first <= 0xEF) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xE0 && at(1) < 0xA0) return 0;
    if (first == 0xED && at(1) > 0x9F) return 0;
    return 3;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xF0 && at(1) < 0x90) return 0;
    if (first == 0xF4 && at(1) > 0x8F) return 0;
    return 4;
  }
  return 0;
}

bool is_utf8(std::string_view bytes) {
  bool valid = true;
  walk(
      bytes, [](std::string_view) {}, [&](unsigned char) { valid = false; });
  return valid;
}

std::size_t unfinished_utf8(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t wanted = byte >= 0xF0 ? 4U : byte >= 0xE0 ? 3U : byte >= 0xC2 ? 2U : 1U;
    return wanted > back ? back : 0;
  }
  return 0;
}

RepairedText repair_utf8(std::string_view bytes) {
  RepairedText repaired;
  repaired.text.reserve(bytes.size());
  walk(
      bytes, [&](std::string_view text) { repaired.text += text; },
      [&](unsigned char) {
        repaired.text += kReplacement;
        ++repaired.replaced;
      });
  return repaired;
}

std::string shown_name(std::string_view bytes) {
  if (is_utf8(bytes)) return std::string(bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out;
  walk(
      bytes, [&](std::string_view text) { out += text == "\\" ? "\\\\" : text; },
      [&](unsigned char byte) {
        out += "\\x";
        out += kDigits[byte >> 4U];
        out += kDigits[byte & 15U];
      });
  return out;
}

}  // namespace yonder
