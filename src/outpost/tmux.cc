#include "outpost/tmux.h"

#include <algorithm>
#include <cctype>

#include "base/clean_text.h"
#include "base/environment.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxOutput = 256UL * 1024;

// Without TMUX: from inside somebody's tmux and from outside the same server is meant.
std::vector<std::string> tmux_environment() {
  std::vector<std::string> kept;
  for (auto& entry : current_environment()) {
    if (!entry.starts_with("TMUX=") && !entry.starts_with("TMUX_PANE=")) {
      kept.push_back(std::move(entry));
    }
  }
  return kept;
}

Result<Captured> run_tmux(const std::vector<std::string>& words, const Deadline& deadline) {
  const std::string program = find_program("tmux", environment("PATH"));
  if (program.empty()) {
    return Error{Errc::Unsupported, "there is no tmux on this machine", "install tmux there"};
  }
  SpawnOptions options{.argv = {program}, .environment = tmux_environment()};
  options.argv.insert(options.argv.end(), words.begin(), words.end());
  return run_captured(options, "", kMaxOutput, deadline);
}

bool is_plain(unsigned char c) {
  return c >= 0x80 || std::isalnum(c) != 0 || c == '_' || c == '-';
}

}  // namespace

std::string tmux_name(std::string_view session) {
  std::string name(trim(session));
  for (char& c : name) {
    if (!is_plain(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

Result<std::vector<std::string>> tmux_sessions(const Deadline& deadline) {
  // By what it prints, not by its exit status: the outpost does not wait for its children.
  TRY_ASSIGN(const Captured listed, run_tmux({"list-sessions", "-F", "#{session_name}"}, deadline));
  std::vector<std::string> names;
  for (auto& line : split(listed.out, '\n')) {
    if (!line.empty()) names.push_back(std::move(line));
  }
  return names;
}

std::optional<bool> tmux_has(std::string_view session, const Deadline& deadline) {
  const auto names = tmux_sessions(deadline);
  if (!names) return std::nullopt;
  return std::find(names->begin(), names->end(), tmux_name(session)) != names->end();
}

Result<void> tmux_open(const std::string& name, const std::vector<std::string>& argv,
                       const Deadline& deadline) {
  // The window has a name, too: else tmux would name it after the program, which says nothing.
  std::vector<std::string> words{"new-session", "-d", "-s", name, "-n", name, "--"};
  words.insert(words.end(), argv.begin(), argv.end());
  TRY_ASSIGN(const Captured opened, run_tmux(words, deadline));
  if (opened.status.success()) return {};
  const std::string said = printable(trim(opened.err));
  const bool duplicate = said.find("duplicate session") != std::string::npos;
  return Error{duplicate ? Errc::Conflict : Errc::Internal, "tmux: " + said, ""};
}

}  // namespace yonder::outpost
