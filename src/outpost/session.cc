#include "outpost/session.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/list_runs.h"
#include "outpost/self.h"
#include "outpost/tmux.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxName = 100;
// The link waits meanwhile.
constexpr auto kTmuxPatience = std::chrono::seconds(1);

std::string directory_of(const Surroundings& around) {
  return around.state_dir + "/sessions";
}

std::string link_path(const Surroundings& around, std::string_view name) {
  return concat(directory_of(around), "/", hash_of(concat(read_hostname(), '\n', trim(name))));
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7F;
}

Error invalid(std::string message) {
  return Error{Errc::InvalidArgument, std::move(message),
               "nothing was run; a session name is 1 to 100 printable characters"};
}

}  // namespace

Result<std::string> check_session_name(std::string_view name) {
  std::string trimmed(trim(name));
  if (trimmed.empty()) return invalid("session_name is empty");
  if (trimmed.size() > kMaxName) {
    return invalid(concat("session_name is ", trimmed.size(), " bytes long"));
  }
  if (std::any_of(trimmed.begin(), trimmed.end(), is_control)) {
    return invalid(concat("session_name '", printable(trimmed), "' holds a control character"));
  }
  return trimmed;
}

std::optional<RunRecord> find_by_session(const Surroundings& around, std::string_view name) {
  if (around.state_dir.empty() || trim(name).empty()) return std::nullopt;
  std::array<char, 128> target{};
  const ssize_t n = ::readlink(link_path(around, name).c_str(), target.data(), target.size());
  if (n <= 0) return std::nullopt;
  const auto id = parse_run_id({target.data(), static_cast<std::size_t>(n)});
  if (!id) return std::nullopt;
  RunRecord record(around.state_dir, *id);
  if (!record.exists()) return std::nullopt;  // it was removed
  return record;
}

Result<void> check_session_free(const Surroundings& around, const std::string& name,
                                const RunRecord& record) {
  const auto holder = find_by_session(around, name);
  if (!holder || holder->id() == record.id()) return {};
  const auto facts = observe(*holder, around.boot_id);
  if (has_surely_ended(facts) || (!facts.supervisor_lives && !facts.command_lives)) return {};
  return Error{Errc::Conflict,
               concat("session_name '", printable(name), "' is in use by run ", holder->id(),
                      ", which is ", facts.alive ? "running" : "about to begin"),
               "nothing was run; choose another name, or stop that run first"};
}

Result<void> claim_session(const Surroundings& around, const std::string& name,
                           const RunRecord& record) {
  if (name.empty()) return {};
  TRY(make_directories(directory_of(around)));
  const std::string path = link_path(around, name);
  const std::string temporary = concat(path, ".", record.id());
  ::unlink(temporary.c_str());
  // A link cannot be changed in place; it is replaced whole, so that the name always means a run.
  if (::symlink(record.id().c_str(), temporary.c_str()) != 0) return errno_error(temporary);
  if (std::rename(temporary.c_str(), path.c_str()) == 0) return {};
  auto error = errno_error(path);
  ::unlink(temporary.c_str());
  return error;
}

Result<RunRecord> session_to_stop(const Surroundings& around, const std::string& name) {
  if (auto record = find_by_session(around, name)) return *std::move(record);
  // Or by what tmux has made of the name. One that has ended may have left it to somebody else.
  auto shown_as = find_by_tmux_name(around, std::string(trim(name)));
  if (shown_as && !shown_as->has_ended()) return *std::move(shown_as);
  const std::string shown = printable(name);
  if (tmux_has(name, Deadline::after(kTmuxPatience)).value_or(false)) {
    return Error{Errc::NotFound,
                 concat("session '", shown, "' is a tmux session that Yonder did not start"),
                 "it was left alone; tmux kill-session ends it"};
  }
  if (shown_as) return *std::move(shown_as);
  return Error{
      Errc::NotFound, concat("there is no run with the session name '", shown, "'"),
      "this does not say that it has ended; records go some time after the end: is it another "
      "sandbox, user or home directory?"};
}

}  // namespace yonder::outpost
