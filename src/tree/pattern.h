#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tree/byte_class.h"

namespace yonder::tree {

// One pattern of an ignore file in git's syntax, made ready to be matched often. Bytes, not
// characters; upper and lower case differ. Matching neither allocates nor recurses, and its time is
// bounded by (directories in the path) x (bytes of the path) x (bytes of the pattern).
class Pattern {
 public:
  // `text` has lost its line end and its trailing blanks. Every text compiles: one that is broken
  // becomes a pattern that matches nothing, as in git.
  explicit Pattern(std::string_view text);

  bool negated() const { return negated_; }
  bool can_match() const { return form_ != Form::Nothing; }

  // `path` is relative to the directory of the ignore file; `name` is its last part.
  bool matches(std::string_view path, std::string_view name, bool is_directory) const {
    if (directories_only_ && !is_directory) return false;
    return matches_text(by_name_ ? name : path);
  }

 private:
  // Most patterns are plain names or endings, and are answered by one comparison.
  enum class Form : std::uint8_t { Nothing, Exact, Prefix, Suffix, Wild };
  enum class Op : std::uint8_t {
    Byte,             // this one
    Any,              // ?
    Class,            // [a-z]
    Star,             // *: any bytes of one name
    Directories,      // **/: any number of directories
    SomeDirectories,  // **\/: at least one, for git takes only the unescaped slash away
    Rest,             // ** at the end
  };
  struct Token {
    Op op = Op::Byte;
    unsigned char byte = 0;
    std::uint16_t byte_class = 0;
  };
  class Matcher;

  bool compile(std::string_view text);
  std::size_t compile_stars(std::string_view text, std::size_t at);
  void add_byte(char byte);
  void choose_form();
  void prefer_name();
  bool all_bytes(std::size_t from) const;
  std::string bytes(std::size_t from, std::size_t to) const;

  bool matches_text(std::string_view text) const {
    switch (form_) {
      case Form::Nothing: return false;
      case Form::Exact: return text == literal_;
      case Form::Prefix: return text.starts_with(literal_);
      case Form::Suffix: return text.ends_with(literal_);
      case Form::Wild: break;
    }
    return text.starts_with(literal_) && matches_wild(text.substr(literal_.size()));
  }
  bool matches_wild(std::string_view text) const;

  bool negated_ = false;
  bool directories_only_ = false;
  bool by_name_ = false;  // no slash in it: looks at the last part of a path at any depth
  Form form_ = Form::Nothing;
  std::string literal_;        // Wild: what every match begins with
  std::vector<Token> tokens_;  // Wild: what follows
  std::vector<ByteSet> classes_;
};

}  // namespace yonder::tree
