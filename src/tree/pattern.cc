#include "tree/pattern.h"

#include <algorithm>

namespace yonder::tree {

// Two places to come back to are enough. Between two runs of directories a pattern has a fixed
// number of slashes, so the first place where such a part fits is as good as any later one; and
// within one name the same holds for the parts between stars.
class Pattern::Matcher {
 public:
  Matcher(const Pattern& pattern, std::string_view text)
      : tokens_(pattern.tokens_), classes_(pattern.classes_), text_(text) {}

  bool run() {
    if (!last_byte_fits()) return false;
    for (;;) {
      if (token_ == tokens_.size()) {
        if (at_ == text_.size()) return true;
      } else if (tokens_[token_].op == Op::Rest) {
        return true;
      } else if (step(tokens_[token_])) {
        continue;
      }
      if (!longer_star() && !more_directories()) return false;
    }
  }

 private:
  struct Resume {
    bool set = false;
    std::size_t token = 0;
    std::size_t at = 0;
  };

  bool step(const Token& token) {
    switch (token.op) {
      case Op::Star: star_ = {true, ++token_, at_}; return true;
      case Op::SomeDirectories:
        if (!skip_directory(at_)) return false;
        [[fallthrough]];
      case Op::Directories:
        star_ = {};
        directories_ = {true, ++token_, at_};
        return true;
      default: return step_byte(token);
    }
  }

  bool step_byte(const Token& token) {
    if (at_ == text_.size() || !fits(token, text_[at_])) return false;
    if (text_[at_] == '/') star_ = {};  // a longer star would end at the same slash
    ++at_;
    ++token_;
    return true;
  }

  bool fits(const Token& token, char byte) const {
    const auto value = static_cast<unsigned char>(byte);
    switch (token.op) {
      case Op::Byte: return value == token.byte;
      case Op::Any: return value != '/';
      default: return classes_[token.byte_class].test(value);
    }
  }

  // Most paths are told apart here: `a/**/*.c` needs no walk through a path that ends in `h`.
  bool last_byte_fits() const {
    const Token& last = tokens_.back();
    if (last.op != Op::Byte && last.op != Op::Any && last.op != Op::Class) return true;
    return !text_.empty() && fits(last, text_.back());
  }

  bool longer_star() {
    if (!star_.set || star_.at == text_.size() || text_[star_.at] == '/') return false;
    at_ = ++star_.at;
    token_ = star_.token;
    return true;
  }

  bool more_directories() {
    if (!directories_.set || !skip_directory(directories_.at)) return false;
    star_ = {};
    at_ = directories_.at;
    token_ = directories_.token;
    return true;
  }

  bool skip_directory(std::size_t& at) const {
    const std::size_t slash = text_.find('/', at);
    if (slash == std::string_view::npos) return false;
    at = slash + 1;
    return true;
  }

  const std::vector<Token>& tokens_;
  const std::vector<ByteSet>& classes_;
  std::string_view text_;
  std::size_t token_ = 0;
  std::size_t at_ = 0;
  Resume star_;
  Resume directories_;
};

bool Pattern::matches_wild(std::string_view text) const {
  return Matcher(*this, text).run();
}

Pattern::Pattern(std::string_view text) {
  negated_ = text.starts_with('!');
  if (negated_) text.remove_prefix(1);
  directories_only_ = text.ends_with('/');
  if (directories_only_) text.remove_suffix(1);
  by_name_ = text.find('/') == std::string_view::npos;
  if (text.starts_with('/')) text.remove_prefix(1);
  if (!text.empty() && compile(text)) choose_form();
  tokens_.shrink_to_fit();
}

bool Pattern::compile(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    switch (text[at]) {
      case '*': at = compile_stars(text, at); break;
      case '?':
        tokens_.push_back({.op = Op::Any});
        ++at;
        break;
      case '[': {
        const auto set = read_byte_class(text, at);
        if (!set || set->none()) return false;
        const auto index = static_cast<std::uint16_t>(classes_.size());
        tokens_.push_back({.op = Op::Class, .byte_class = index});
        classes_.push_back(*set);
        break;
      }
      case '\\':
        if (++at == text.size()) return false;
        [[fallthrough]];
      default: add_byte(text[at++]);
    }
  }
  return true;
}

void Pattern::add_byte(char byte) {
  tokens_.push_back({.op = Op::Byte, .byte = static_cast<unsigned char>(byte)});
}

// Two stars or more mean directories only where they are a whole part of the path.
std::size_t Pattern::compile_stars(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of('*', at), text.size());
  const std::string_view rest = text.substr(end);
  if (end - at >= 2 && (at == 0 || text[at - 1] == '/')) {
    if (rest.empty()) {
      tokens_.push_back({.op = Op::Rest});
      return end;
    }
    if (rest.starts_with('/')) {
      tokens_.push_back({.op = Op::Directories});
      return end + 1;
    }
    if (rest.starts_with("\\/")) {
      tokens_.push_back({.op = Op::SomeDirectories});
      return end + 2;
    }
  }
  tokens_.push_back({.op = Op::Star});
  return end;
}

bool Pattern::all_bytes(std::size_t from) const {
  return std::all_of(tokens_.begin() + static_cast<std::ptrdiff_t>(from), tokens_.end(),
                     [](const Token& token) { return token.op == Op::Byte; });
}

std::string Pattern::bytes(std::size_t from, std::size_t to) const {
  std::string out;
  for (std::size_t i = from; i < to; ++i) out += static_cast<char>(tokens_[i].byte);
  return out;
}

// `**/name` is the same as `name`, which needs no look at the directories.
void Pattern::prefer_name() {
  if (by_name_ || tokens_.front().op != Op::Directories || tokens_.size() == 1) return;
  const bool one_name = std::all_of(tokens_.begin() + 1, tokens_.end(), [](const Token& token) {
    return token.op == Op::Star || token.op == Op::Any || token.op == Op::Class ||
           (token.op == Op::Byte && token.byte != '/');
  });
  if (!one_name) return;
  tokens_.erase(tokens_.begin());
  by_name_ = true;
}

void Pattern::choose_form() {
  prefer_name();
  const auto is_star = [](const Token& token) {
    return token.op == Op::Star || token.op == Op::Rest;
  };
  if (by_name_ && is_star(tokens_.front()) && all_bytes(1)) {
    form_ = Form::Suffix;
    literal_ = bytes(1, tokens_.size());
    tokens_.clear();
    return;
  }
  const auto wild = std::find_if(tokens_.begin(), tokens_.end(),
                                 [](const Token& token) { return token.op != Op::Byte; });
  literal_ = bytes(0, static_cast<std::size_t>(wild - tokens_.begin()));
  tokens_.erase(tokens_.begin(), wild);
  if (tokens_.empty()) {
    form_ = Form::Exact;
  } else if (tokens_.size() == 1 && is_star(tokens_.front()) &&
             (by_name_ || tokens_.front().op == Op::Rest)) {
    form_ = Form::Prefix;
    tokens_.clear();
  } else {
    form_ = Form::Wild;
  }
}

}  // namespace yonder::tree
