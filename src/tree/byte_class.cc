#include "tree/byte_class.h"

#include <array>

namespace yonder::tree {
namespace {

// The locale must not decide what a rule means, so none of <cctype>.
bool is_between(unsigned c, unsigned low, unsigned high) {
  return c >= low && c <= high;
}
bool is_digit(unsigned c) {
  return is_between(c, '0', '9');
}
bool is_lower(unsigned c) {
  return is_between(c, 'a', 'z');
}
bool is_upper(unsigned c) {
  return is_between(c, 'A', 'Z');
}
bool is_alpha(unsigned c) {
  return is_lower(c) || is_upper(c);
}
bool is_alnum(unsigned c) {
  return is_alpha(c) || is_digit(c);
}
bool is_blank(unsigned c) {
  return c == ' ' || c == '\t';
}
// As git has it: neither a vertical tab nor a form feed.
bool is_space(unsigned c) {
  return is_blank(c) || c == '\n' || c == '\r';
}
bool is_cntrl(unsigned c) {
  return c < ' ' || c == 0x7f;
}
bool is_print(unsigned c) {
  return is_between(c, ' ', '~');
}
bool is_graph(unsigned c) {
  return is_between(c, '!', '~');
}
bool is_punct(unsigned c) {
  return is_graph(c) && !is_alnum(c);
}
bool is_xdigit(unsigned c) {
  return is_digit(c) || is_between(c, 'a', 'f') || is_between(c, 'A', 'F');
}

struct NamedClass {
  std::string_view name;
  bool (*holds)(unsigned);
};
constexpr std::array<NamedClass, 12> kNamedClasses{{{"alnum", is_alnum},
                                                    {"alpha", is_alpha},
                                                    {"blank", is_blank},
                                                    {"cntrl", is_cntrl},
                                                    {"digit", is_digit},
                                                    {"graph", is_graph},
                                                    {"lower", is_lower},
                                                    {"print", is_print},
                                                    {"punct", is_punct},
                                                    {"space", is_space},
                                                    {"upper", is_upper},
                                                    {"xdigit", is_xdigit}}};

class ClassReader {
 public:
  // `at` is behind the `[`.
  ClassReader(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  std::optional<ByteSet> read() {
    const bool negated = has(at_) && (text_[at_] == '!' || text_[at_] == '^');
    if (negated) ++at_;
    // A `]` at the very beginning is a member like any other.
    for (bool first = true; !has(at_) || text_[at_] != ']' || first; first = false) {
      if (!has(at_) || !read_member()) return std::nullopt;
    }
    ++at_;
    if (negated) set_.flip();
    set_.reset('/');
    return set_;
  }
  std::size_t at() const { return at_; }

 private:
  static constexpr int kNone = -1;

  bool has(std::size_t at) const { return at < text_.size(); }
  unsigned char byte(std::size_t at) const { return static_cast<unsigned char>(text_[at]); }

  bool read_member() {
    const char c = text_[at_];
    if (c == '-' && previous_ != kNone && has(at_ + 1) && text_[at_ + 1] != ']') {
      return read_range();
    }
    if (c == '[' && has(at_ + 1) && text_[at_ + 1] == ':') return read_named();
    if (c == '\\' && !has(++at_)) return false;
    add_one(byte(at_++));
    return true;
  }

  void add_one(unsigned char member) {
    set_.set(member);
    previous_ = member;
  }

  bool read_range() {
    if (text_[++at_] == '\\' && !has(++at_)) return false;
    for (int c = previous_; c <= byte(at_); ++c) set_.set(static_cast<std::size_t>(c));
    ++at_;
    previous_ = kNone;
    return true;
  }

  bool read_named() {
    const std::size_t begin = at_ + 2;
    const std::size_t close = text_.find(']', begin);
    if (close == std::string_view::npos) return false;
    if (close == begin || text_[close - 1] != ':') {  // just a bracket and a colon
      add_one(byte(at_++));
      return true;
    }
    at_ = close + 1;
    previous_ = kNone;
    return add_named(text_.substr(begin, close - 1 - begin));
  }

  bool add_named(std::string_view name) {
    for (const NamedClass& named : kNamedClasses) {
      if (named.name != name) continue;
      for (unsigned c = 0; c < set_.size(); ++c) {
        if (named.holds(c)) set_.set(c);
      }
      return true;
    }
    return false;
  }

  std::string_view text_;
  std::size_t at_;
  int previous_ = kNone;  // where a `-` would begin its range
  ByteSet set_;
};

}  // namespace

std::optional<ByteSet> read_byte_class(std::string_view text, std::size_t& at) {
  ClassReader reader(text, at + 1);
  const auto set = reader.read();
  at = reader.at();
  return set;
}

}  // namespace yonder::tree
