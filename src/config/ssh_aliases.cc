#include "config/ssh_aliases.h"

#include <optional>
#include <set>
#include <utility>

#include "base/file.h"
#include "base/text.h"
#include "config/address.h"
#include "config/home_path.h"

namespace yonder::config {
namespace {

constexpr std::size_t kLargestSshConfig = std::size_t{1024} * 1024;
constexpr std::size_t kMostFiles = 256;
constexpr std::size_t kMostAliases = 4096;
// As deep as ssh itself goes.
constexpr int kDeepest = 16;

constexpr std::string_view kBlank = " \t\r\f";

void skip_blank(std::string_view& rest) {
  const std::size_t first = rest.find_first_not_of(kBlank);
  rest.remove_prefix(first == std::string_view::npos ? rest.size() : first);
}

// One word by ssh's rules: quotes of both kinds, a backslash before a quote, a backslash or a
// blank. Nothing at the end of the line and at a comment. A quote that is never closed spoils the
// line for ssh; here the word simply ends with it.
std::optional<std::string> next_word(std::string_view& rest) {
  skip_blank(rest);
  if (rest.empty() || rest.front() == '#') return std::nullopt;
  std::string word;
  char quote = '\0';
  std::size_t i = 0;
  for (; i < rest.size(); ++i) {
    const char c = rest[i];
    const char next = i + 1 < rest.size() ? rest[i + 1] : '\0';
    if (c == '\\' && (next == '"' || next == '\'' || next == '\\' || (!quote && next == ' '))) {
      word += next;
      ++i;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? '\0' : c;
    } else if (!quote && kBlank.find(c) != std::string_view::npos) {
      break;
    } else {
      word += c;
    }
  }
  rest.remove_prefix(i);
  return word;
}

// "Keyword value", "Keyword=value" and "Keyword = value". Lower case; empty for no keyword.
std::string take_keyword(std::string_view& rest) {
  skip_blank(rest);
  const std::size_t end = rest.find_first_of(" \t\r\f=");
  std::string keyword = to_lower(rest.substr(0, end));
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end);
  skip_blank(rest);
  if (rest.starts_with('=')) rest.remove_prefix(1);
  return keyword;
}

bool is_pattern(std::string_view word) {
  return word.find_first_of("*?!") != std::string_view::npos;
}

// Collects aliases through a tree of files.
class Walk {
 public:
  // `ssh_directory`: where Includes of other files begin.
  Walk(const std::string& home, std::string ssh_directory, Watched& watched)
      : home_(home), ssh_directory_(std::move(ssh_directory)), watched_(watched) {}

  void file(const std::string& path, int depth) {
    if (!paths_.insert(path).second) return;
    const FileStamp stamp = watched_.add_file(path);
    if (!stamp.exists) return;
    if (depth == 0) out_.found = true;
    if (!read_.insert({stamp.device, stamp.inode}).second) return;
    // A pipe would make us wait for its writer.
    if (!stamp.regular) return;
    auto text = read_file(path, kLargestSshConfig);
    if (!text) {
      out_.warnings.push_back(concat("its aliases are not listed: ", text.error().message));
      return;
    }
    for (const SshConfigEntry& entry : parse_ssh_config(*text)) {
      if (entry.kind == SshConfigEntry::Kind::Alias) {
        alias(entry, path);
      } else {
        include(entry, depth);
      }
    }
  }

  SshAliases take() { return std::move(out_); }

 private:
  void alias(const SshConfigEntry& entry, const std::string& path) {
    if (names_.size() >= kMostAliases) return;
    // What cannot be a name here can still be reached as ssh://...; naming it would be noise.
    if (!check_name(entry.text, "") || !check_host(entry.text, "")) return;
    if (!names_.insert(entry.text).second) return;
    SandboxSpec spec;
    spec.name = entry.text;
    spec.host = entry.text;
    spec.origin = concat(show_path(path, home_), ":", entry.line);
    out_.sandboxes.push_back(std::move(spec));
  }

  void include(const SshConfigEntry& entry, int depth) {
    if (depth >= kDeepest || watched_.patterns.size() >= kMostFiles) return;
    std::string pattern = expand_home(entry.text, home_);
    if (!pattern.starts_with('/')) pattern = concat(ssh_directory_, "/", pattern);
    // A copy: reading the files adds more patterns.
    const std::vector<std::string> paths = watched_.add_pattern(pattern);
    for (const auto& path : paths) {
      if (read_.size() >= kMostFiles) return;
      file(path, depth + 1);
    }
  }

  const std::string& home_;
  std::string ssh_directory_;
  Watched& watched_;
  std::set<std::string> paths_;
  std::set<std::pair<dev_t, ino_t>> read_;  // one file can have several paths
  std::set<std::string> names_;
  SshAliases out_;
};

}  // namespace

std::vector<SshConfigEntry> parse_ssh_config(std::string_view text) {
  std::vector<SshConfigEntry> entries;
  int number = 0;
  for (const std::string& line : split(text, '\n')) {
    ++number;
    std::string_view rest = line;
    const std::string keyword = take_keyword(rest);
    const bool is_host = keyword == "host";
    if (!is_host && keyword != "include") continue;
    while (auto word = next_word(rest)) {
      if (word->empty() || (is_host && is_pattern(*word))) continue;
      const auto kind = is_host ? SshConfigEntry::Kind::Alias : SshConfigEntry::Kind::Include;
      entries.push_back({kind, *std::move(word), number});
    }
  }
  return entries;
}

SshAliases read_ssh_aliases(const std::string& home, Watched& watched) {
  if (home.empty()) return {};
  Walk walk(home, home + "/.ssh", watched);
  walk.file(home + "/.ssh/config", 0);
  return walk.take();
}

void watch_ssh_config(const std::string& home, Watched& watched) {
  [[maybe_unused]] const SshAliases of_the_user = read_ssh_aliases(home, watched);
  Walk walk(home, "/etc/ssh", watched);
  walk.file("/etc/ssh/ssh_config", 0);
}

}  // namespace yonder::config
