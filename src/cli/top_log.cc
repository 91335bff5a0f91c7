#include "cli/top_log.h"

namespace yonder::cli {
namespace {

// What can be scrolled back to; the whole is in `yonder logs`.
constexpr std::size_t kMostKeptLines = 2000;
constexpr std::size_t kLongestLine = 2000;  // bytes; all of it is copied for each picture
constexpr std::size_t kTab = 8;

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

}  // namespace

void TopLog::add(std::string_view bytes) {
  bool in_sequence = false;
  for (const char byte : safe_.pass(bytes)) {
    if (in_sequence) {
      // The only one that is let through without colours erases the line.
      in_sequence = byte != 'K';
    } else if (byte == '\x1b') {
      in_sequence = true;
    } else if (byte == '\n') {
      lines_.emplace_back();
      if (lines_.size() > kMostKeptLines) lines_.pop_front();
      column_ = 0;
      returned_ = false;
    } else if (byte == '\r') {
      returned_ = true;
    } else {
      add_text(byte);
    }
  }
}

void TopLog::add_text(char byte) {
  std::string& line = lines_.back();
  if (returned_) {
    line.clear();
    column_ = 0;
    returned_ = false;
  }
  const bool begins = begins_character(byte);
  if (begins && line.size() >= kLongestLine) return;
  if (byte == '\t') {
    const std::size_t spaces = kTab - column_ % kTab;
    line.append(spaces, ' ');
    column_ += spaces;
    return;
  }
  // A line that is full ends with a whole character.
  if (line.size() >= kLongestLine + 3) return;
  line += byte;
  if (begins) ++column_;
}

void TopLog::end(std::string note) {
  note_ = std::move(note);
}

}  // namespace yonder::cli
