#include "base/clean_text.h"

#include <cstdint>
#include <optional>

#include "base/text.h"
#include "base/utf8.h"

namespace yonder {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';

// Length of the escape sequence at the front (which starts with ESC): CSI, OSC and the other string
// kinds, or a two-byte one. An unfinished sequence reaches to the end.
std::size_t escape_length(std::string_view bytes) {
  if (bytes.size() < 2) return bytes.size();
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const char kind = bytes[1];
  if (kind == '[') {
    for (std::size_t i = 2; i < bytes.size(); ++i) {
      if (at(i) >= 0x40 && at(i) <= 0x7e) return i + 1;
      // Broken off by a control character or by text, which is kept.
      if (at(i) < 0x20 || at(i) > 0x7e) return i;
    }
    return bytes.size();
  }
  if (kind == ']' || kind == 'P' || kind == 'X' || kind == '^' || kind == '_') {
    for (std::size_t i = 2; i < bytes.size(); ++i) {
      if (bytes[i] == kBell) return i + 1;
      if (bytes[i] == kEscape) return i + 1 < bytes.size() && bytes[i + 1] == '\\' ? i + 2 : i;
      if (bytes[i] == '\n') return i;
    }
    return bytes.size();
  }
  std::size_t length = 1;
  while (length < bytes.size() && at(length) >= 0x20 && at(length) <= 0x2f) ++length;
  const bool ends = length < bytes.size() && at(length) >= 0x30 && at(length) <= 0x7e;
  return ends ? length + 1 : length;
}

bool is_unwanted_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t' && c != '\r') || byte == 0x7f;
}

// U+0080 to U+009F are control characters too: some terminals read C2 9B as the start of a
// sequence.
bool is_c1_control(std::string_view bytes) {
  return bytes[0] == '\xC2' && static_cast<unsigned char>(bytes[1]) < 0xA0;
}

// What a terminal would show of a line that was drawn over and over: its last state.
std::string_view last_state(std::string_view line) {
  while (line.ends_with('\r')) line.remove_suffix(1);
  const std::size_t last = line.rfind('\r');
  return last == std::string_view::npos ? line : line.substr(last + 1);
}

std::string fold_returns(const std::string& text) {
  if (text.find('\r') == std::string::npos) return text;
  std::string folded;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    folded += last_state(rest.substr(0, end));
    if (end == std::string_view::npos) break;
    folded += '\n';
    rest.remove_prefix(end + 1);
  }
  return folded;
}

// A sequence cut by the border between head and tail is no sign of a binary.
std::string_view without_cut_start(std::string_view bytes) {
  std::size_t skipped = 0;
  while (skipped < 3 && skipped < bytes.size() &&
         (static_cast<unsigned char>(bytes[skipped]) & 0xC0U) == 0x80U) {
    ++skipped;
  }
  return bytes.substr(skipped);
}

std::string_view without_cut_end(std::string_view bytes) {
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const auto byte = static_cast<unsigned char>(bytes[bytes.size() - back]);
    if ((byte & 0xC0U) == 0x80U) continue;
    const std::size_t wanted = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC2 ? 2 : 1;
    return wanted > back ? bytes.substr(0, bytes.size() - back) : bytes;
  }
  return bytes;
}

}  // namespace

CleanText clean_text(std::string_view bytes) {
  CleanText clean;
  clean.text.reserve(bytes.size());
  while (!bytes.empty()) {
    std::size_t used = 1;
    if (bytes[0] == kEscape) {
      used = escape_length(bytes);
    } else if (bytes[0] == '\0') {
      clean.binary = true;
    } else if (is_unwanted_control(bytes[0])) {
      // Backspaces and bells say nothing to a reader.
    } else if (const std::size_t length = utf8_length(bytes); length == 0) {
      clean.text += "\xEF\xBF\xBD";
      clean.binary = true;
    } else {
      used = length;
      if (length != 2 || !is_c1_control(bytes)) clean.text += bytes.substr(0, length);
    }
    bytes.remove_prefix(used);
  }
  clean.text = fold_returns(clean.text);
  return clean;
}

CleanText clean_text(const HeadTail& stream) {
  if (!stream.truncated()) return clean_text(stream.head() + stream.tail());
  CleanText head = clean_text(without_cut_end(stream.head()));
  const CleanText tail = clean_text(without_cut_start(stream.tail()));
  if (!head.text.empty() && head.text.back() != '\n') head.text += '\n';
  head.text += concat("[... ", stream.left_out(), " bytes left out ...]\n");
  head.text += tail.text;
  head.binary = head.binary || tail.binary;
  return head;
}

std::string printable(std::string_view bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  while (!bytes.empty()) {
    const std::size_t length = utf8_length(bytes);
    const auto byte = static_cast<unsigned char>(bytes[0]);
    const bool plain = length > 2 || (length == 2 && !is_c1_control(bytes)) ||
                       (length == 1 && byte >= 0x20 && byte != 0x7f);
    if (plain) {
      out += bytes.substr(0, length);
      bytes.remove_prefix(length);
    } else {
      out += "\\x";
      out += kHex[byte >> 4U];
      out += kHex[byte & 15U];
      bytes.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace yonder
