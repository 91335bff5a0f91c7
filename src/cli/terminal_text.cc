#include "cli/terminal_text.h"

#include "base/text.h"

namespace yonder::cli {
namespace {

constexpr char kEscape = '\x1b';
constexpr char kBell = '\x07';
constexpr std::size_t kLongestSequence = 64;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

unsigned char value(char byte) {
  return static_cast<unsigned char>(byte);
}

bool is_wanted_control(char byte) {
  return byte == '\n' || byte == '\r' || byte == '\t';
}

// Nothing but numbers: "\x1b[>4;1m" is no colour, but tells a terminal to send other keys.
bool is_plain(std::string_view parameters) {
  return parameters.size() <= kLongestSequence &&
         parameters.find_first_not_of("0123456789;:") == std::string_view::npos;
}

bool is_reset(std::string_view parameters) {
  return parameters.find_first_not_of("0;") == std::string_view::npos;
}

// Of the character that begins with `first`; 0: none does.
std::size_t utf8_size(unsigned char first) {
  if (first >= 0xC2 && first <= 0xDF) return 2;
  if (first >= 0xE0 && first <= 0xEF) return 3;
  if (first >= 0xF0 && first <= 0xF4) return 4;
  return 0;
}

// Whether `second` may follow: no overlong forms, no surrogates, nothing above U+10FFFF.
bool may_follow(unsigned char first, unsigned char second) {
  const unsigned char least = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  return second >= least && second <= most;
}

bool is_control_character(std::string_view character) {
  return character.size() == 2 && character[0] == '\xC2' && value(character[1]) < 0xA0;
}

}  // namespace

std::string TerminalText::pass(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size());
  for (const char byte : bytes) take(byte, out);
  return out;
}

std::string TerminalText::finish() {
  std::string out;
  if (!character_.empty()) out += kReplacement;
  if (coloured_) out += "\x1b[0m";
  character_.clear();
  sequence_.clear();
  coloured_ = false;
  state_ = State::Text;
  return out;
}

void TerminalText::take(char byte, std::string& out) {
  switch (state_) {
    case State::Text: return take_text(byte, out);
    case State::Escape:
    case State::EscapeMore: return take_escape(byte, out);
    case State::Sequence: return take_sequence(byte, out);
    case State::String:
    case State::StringEscape: return take_string(byte, out);
  }
}

void TerminalText::take_text(char byte, std::string& out) {
  if (take_character(value(byte), out)) return;
  if (byte == kEscape) {
    state_ = State::Escape;
  } else if (is_wanted_control(byte) || (value(byte) >= 0x20 && value(byte) < 0x7f)) {
    out += byte;
  }
}

// True when the byte was part of a character of several bytes, or of nothing at all.
bool TerminalText::take_character(unsigned char byte, std::string& out) {
  if (!character_.empty()) {
    const unsigned char first = value(character_[0]);
    const bool fits = character_.size() == 1 ? may_follow(first, byte) : (byte & 0xC0U) == 0x80U;
    if (fits) {
      character_ += static_cast<char>(byte);
      if (character_.size() < utf8_size(first)) return true;
      if (!is_control_character(character_)) out += character_;
      character_.clear();
      return true;
    }
    out += kReplacement;
    character_.clear();
  }
  if (byte < 0x80) return false;
  if (utf8_size(byte) == 0) {
    out += kReplacement;
  } else {
    character_ = static_cast<char>(byte);
  }
  return true;
}

// Behind ESC: which kind of sequence it is. Those of two or three bytes end here.
void TerminalText::take_escape(char byte, std::string& out) {
  const bool intermediate = value(byte) >= 0x20 && value(byte) <= 0x2f;
  if (state_ == State::Escape && byte == '[') {
    sequence_.clear();
    state_ = State::Sequence;
  } else if (state_ == State::Escape && std::string_view("]PX^_").find(byte) != std::string::npos) {
    state_ = State::String;
  } else if (intermediate) {
    state_ = State::EscapeMore;
  } else {
    state_ = State::Text;
    const bool ends_it = value(byte) >= 0x30 && value(byte) <= 0x7e;
    if (!ends_it) take_text(byte, out);
  }
}

void TerminalText::take_sequence(char byte, std::string& out) {
  if (value(byte) >= 0x40 && value(byte) <= 0x7e) return end_sequence(byte, out);
  if (value(byte) >= 0x20 && value(byte) < 0x40) {
    if (sequence_.size() <= kLongestSequence) sequence_ += byte;
    return;
  }
  // Broken off by a control character or by text, which counts.
  state_ = State::Text;
  take_text(byte, out);
}

void TerminalText::end_sequence(char last, std::string& out) {
  state_ = State::Text;
  if (!is_plain(sequence_) || (last != 'm' && last != 'K')) return;
  if (last == 'm') {
    if (!colours_) return;
    coloured_ = !is_reset(sequence_);
  }
  out += concat("\x1b[", sequence_, last);
}

// A title, a link, a picture. A line's end breaks it off, so that it cannot swallow a whole log.
void TerminalText::take_string(char byte, std::string& out) {
  if (state_ == State::StringEscape && byte != '\\') {
    state_ = State::Escape;
    return take_escape(byte, out);
  }
  if (byte == '\n') out += byte;
  const bool over = byte == kBell || byte == '\n' || state_ == State::StringEscape;
  state_ = over ? State::Text : byte == kEscape ? State::StringEscape : State::String;
}

}  // namespace yonder::cli
