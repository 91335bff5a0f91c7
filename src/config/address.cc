#include "config/address.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/home_path.h"

namespace yonder::config {
namespace {

constexpr std::size_t kLongestName = 128;
constexpr std::size_t kLongestHost = 255;

Error refused(std::string_view what, std::string_view why, std::string hint = {}) {
  return Error{Errc::InvalidArgument, concat(what, " ", why), std::move(hint)};
}

bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_name_character(char c) {
  return is_letter_or_digit(c) || std::string_view("._@:%+-").find(c) != std::string_view::npos;
}

bool is_space_or_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte <= 0x20 || byte == 0x7f;
}

// `forbidden`: besides white space and control characters.
Result<void> check_word(std::string_view word, std::string_view forbidden, std::string_view what) {
  if (word.empty()) return refused(what, "must not be empty");
  if (word.size() > kLongestHost) return refused(what, "is too long");
  if (word.front() == '-') return refused(what, "must not begin with '-'");
  const auto bad = std::find_if(word.begin(), word.end(), [&](char c) {
    return is_space_or_control(c) || forbidden.find(c) != std::string_view::npos;
  });
  if (bad == word.end()) {
    return printable(word) == word ? Result<void>{} : refused(what, "must be valid UTF-8");
  }
  return refused(what, concat("must not contain '", printable({&*bad, 1}), "'"));
}

}  // namespace

Result<void> check_name(std::string_view name, std::string_view what) {
  if (name.empty()) return refused(what, "must not be empty");
  if (name.size() > kLongestName) return refused(what, "is too long for a name");
  if (name == "auto") {
    return refused(what, "must not be \"auto\", which is reserved", "choose another name");
  }
  if (name.front() == '-' || name.front() == '.' ||
      !std::all_of(name.begin(), name.end(), is_name_character)) {
    return refused(what, concat("\"", printable(name), "\" is not a usable name"),
                   "names are made of A-Z a-z 0-9 . _ @ : % + - and begin with neither - nor .");
  }
  return {};
}

Result<void> check_host(std::string_view host, std::string_view what) {
  const std::size_t at = host.rfind('@');
  if (at != std::string_view::npos) {
    return refused(what, "must be a host alone, without a user",
                   concat("write \"", printable(host.substr(at + 1)),
                          "\" there, and the user in its own setting"));
  }
  return check_word(host, "'`\"$\\;&<>|(){}[]/", what);
}

Result<void> check_user(std::string_view user, std::string_view what) {
  // "DOMAIN\user" and "machine$" are real user names; a backslash at the end would quote what ssh
  // puts behind it.
  if (user.ends_with('\\')) return refused(what, "must not end with '\\'");
  return check_word(user, "'`\";&<>|(){}/", what);
}

std::optional<int> parse_port(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  int port = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    port = port * 10 + (c - '0');
  }
  if (port < 1 || port > 65535) return std::nullopt;
  return port;
}

Result<std::string> key_file_path(std::string_view text, const std::string& home,
                                  std::string_view what) {
  if (std::any_of(text.begin(), text.end(),
                  [](char c) { return c != ' ' && is_space_or_control(c); })) {
    return refused(what, "must not contain control characters");
  }
  std::string path = expand_home(text, home);
  if (path.starts_with('/')) return path;
  return refused(what, "must be an absolute path or begin with ~/");
}

}  // namespace yonder::config
