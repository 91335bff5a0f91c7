#include "base/quote.h"

#include <algorithm>
#include <cctype>

namespace yonder {
namespace {

bool is_harmless(char c) {
  constexpr std::string_view kPunctuation = "_-./:=@%+,";
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         kPunctuation.find(c) != std::string_view::npos;
}

}  // namespace

std::string shell_quote(std::string_view word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_harmless)) return std::string(word);
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  quoted += '\'';
  return quoted;
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    line += shell_quote(word);
  }
  return line;
}

ShellText& ShellText::arg(std::string_view word) {
  if (!text_.empty()) text_ += ' ';
  text_ += shell_quote(word);
  return *this;
}

ShellText& ShellText::args(const std::vector<std::string>& words) {
  for (const auto& word : words) arg(word);
  return *this;
}

}  // namespace yonder
