#pragma once

#include <string>
#include <string_view>

namespace yonder::cli {

// Makes a stream of foreign bytes safe for a terminal: colours and the erasing of the current line
// stay, with \n, \r and \t; every other escape sequence and control character is dropped, also one
// that is cut between two pieces. What is no UTF-8 becomes U+FFFD: some terminals obey bytes from
// 80 to 9F.
class TerminalText {
 public:
  explicit TerminalText(bool colours) : colours_(colours) {}

  std::string pass(std::string_view bytes);
  // At the end: whatever was held back, and the terminal's own colours again.
  std::string finish();

 private:
  enum class State { Text, Escape, EscapeMore, Sequence, String, StringEscape };

  void take(char byte, std::string& out);
  void take_text(char byte, std::string& out);
  void take_escape(char byte, std::string& out);
  void take_sequence(char byte, std::string& out);
  void take_string(char byte, std::string& out);
  bool take_character(unsigned char byte, std::string& out);
  void end_sequence(char last, std::string& out);

  const bool colours_;
  State state_ = State::Text;
  std::string sequence_;   // the parameters of the one we are in, as far as they matter
  std::string character_;  // the bytes of one that is not complete
  bool coloured_ = false;
};

}  // namespace yonder::cli
