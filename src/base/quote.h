#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yonder {

// The only place where text becomes part of a shell line.
//
//   ShellText("rm -rf --").arg(name).str()      // rm -rf -- 'it'\''s'
//
// There is no way in for a std::string but arg(), which quotes it.
class ShellText {
 public:
  template <std::size_t N>
  explicit ShellText(const char (&literal)[N]) : text_(literal) {}

  ShellText& arg(std::string_view word);
  ShellText& args(const std::vector<std::string>& words);
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

// One word for a POSIX shell. Words of harmless characters stay as they are.
std::string shell_quote(std::string_view word);

// A whole argument list as one line, for running or for showing.
std::string shell_line(const std::vector<std::string>& words);

}  // namespace yonder
