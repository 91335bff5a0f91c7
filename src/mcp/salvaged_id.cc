#include "mcp/salvaged_id.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace yonder::mcp {
namespace {

// Walks over the keys of the outermost object, and takes everything below them for text.
class TopLevel {
 public:
  explicit TopLevel(std::string_view text) : text_(text) {}

  Salvaged read() {
    skip_blanks();
    if (at_end() || text_[at_] != '{') return {};
    while (!at_end()) step();
    return {.id = std::move(id_), .is_response = answers_ && !asks_};
  }

 private:
  bool at_end() const { return at_ >= text_.size(); }

  void skip_blanks() {
    while (!at_end() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
      ++at_;
    }
  }

  void step() {
    const char c = text_[at_];
    if (c == '"') return on_string();
    ++at_;
    if (c == '{' || c == '[') ++depth_;
    if (c == '}' || c == ']') --depth_;
    if (depth_ == 1) key_follows_ = c == '{' || c == ',' || (key_follows_ && c != ':');
    if (depth_ == 0) at_ = text_.size();
  }

  void on_string() {
    const std::string_view quoted = take_string();
    if (depth_ != 1 || !key_follows_) return;
    key_follows_ = false;
    skip_blanks();
    if (at_end() || text_[at_] != ':') return;
    ++at_;
    if (quoted == "\"method\"") asks_ = true;
    if (quoted == "\"result\"" || quoted == "\"error\"") answers_ = true;
    if (quoted == "\"id\"") take_id();
  }

  // With its quotes; what is not closed reaches to the end.
  std::string_view take_string() {
    const std::size_t start = at_++;
    while (!at_end() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    return text_.substr(start, at_ - start);
  }

  void take_id() {
    skip_blanks();
    if (at_end()) return;
    const std::size_t end = text_[at_] == '"' ? at_ : text_.find_first_of(",}] \t\r\n", at_);
    const std::string_view token =
        text_[at_] == '"' ? take_string() : text_.substr(at_, end == text_.npos ? 0 : end - at_);
    Json value = Json::parse(token, nullptr, false);
    id_ = !value.is_discarded() && is_request_id(value) ? std::move(value) : Json();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  bool key_follows_ = false;
  bool asks_ = false;
  bool answers_ = false;
  Json id_;
};

}  // namespace

bool is_request_id(const Json& value) {
  if (value.is_string() || value.is_number_integer()) return true;
  constexpr double kExact = 9007199254740992.0;  // beyond it not every whole number is a double
  return value.is_number_float() && std::abs(value.get<double>()) <= kExact &&
         std::floor(value.get<double>()) == value.get<double>();
}

Salvaged salvage(std::string_view line) {
  return TopLevel(line).read();
}

}  // namespace yonder::mcp
