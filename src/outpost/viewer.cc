#include "outpost/viewer.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/detach.h"
#include "outpost/machine.h"
#include "outpost/run_label.h"
#include "outpost/self.h"
#include "outpost/tmux.h"

namespace yonder::outpost {
namespace {

// A launcher may take its time.
constexpr auto kBeginPatience = std::chrono::seconds(60);
// Only the process that opens the view waits for it; a busy machine may need more than seconds.
constexpr auto kTmuxLimit = std::chrono::minutes(1);
// The view of an older run of that name closes when it has seen the end, and the tmux server ends
// with the last session: who comes in that moment tries again, so long, and on a busy machine so
// often.
constexpr auto kTryAgainFor = std::chrono::milliseconds(1500);
constexpr int kTries = 10;
constexpr int kPauseMs = 20;
// Changes are told by inotify; this is for file systems where it stays silent.
constexpr int kLookAgainMs = 500;
constexpr std::size_t kShortId = 8;

bool begins(const RunRecord& record) {
  const Deadline deadline = Deadline::after(kBeginPatience);
  while (!path_exists(record.path("alive"))) {
    if (record.has_ended() || !record.exists() || deadline.expired()) return false;
    ::poll(nullptr, 0, kPauseMs);
  }
  return true;
}

// The session is there when the program in it has said so.
Result<void> wait_for_view(const RunRecord& record, const Deadline& deadline) {
  while (!path_exists(record.path("tmux"))) {
    if (deadline.expired()) return Error{Errc::Timeout, "the view did not come up in tmux", ""};
    ::poll(nullptr, 0, kPauseMs);
  }
  return {};
}

Result<void> open_view(const RunRecord& record, const std::string& name, const Deadline& deadline) {
  TRY(tmux_open(name, {own_path(), "show", record.directory(), name}, deadline));
  return wait_for_view(record, deadline);
}

Result<void> open_some_view(const RunRecord& record, const std::string& name) {
  const Deadline deadline = Deadline::after(kTmuxLimit);
  const Deadline last_try = Deadline::after(kTryAgainFor);
  auto opened = open_view(record, name, deadline);
  for (int tried = 1; !opened && opened.error().code != Errc::Unsupported; ++tried) {
    if (last_try.expired() && (tried >= kTries || deadline.expired())) break;
    ::poll(nullptr, 0, kPauseMs);
    if (path_exists(record.path("tmux"))) return {};
    opened = open_view(record, name, deadline);
  }
  if (opened || opened.error().code != Errc::Conflict) return opened;
  // Somebody else's, or that of a name which looks the same to tmux: it is left alone.
  return open_view(record, concat(name, "-", record.id().substr(2, kShortId)), deadline);
}

void open_when_begun(const RunRecord& record, const std::string& session) {
  if (!begins(record) || record.has_ended()) return;
  const auto opened = open_some_view(record, tmux_name(session.empty() ? record.id() : session));
  if (opened || record.has_ended() || !record.exists()) return;
  [[maybe_unused]] const auto noted =
      write_file_atomically(record.path("tmux.problem"), opened.error().message + "\n",
                            Durability::Process)
          .has_value();
}

std::string how_it_ended(const wire::ExitRecord& exit) {
  std::string how = "the run has ended";
  if (exit.code) how = concat("the run has exited with code ", *exit.code);
  if (exit.signal) how = concat("the run was ended by signal ", *exit.signal);
  if (exit.cause == wire::Cause::Timeout) how += ", at its time limit";
  if (exit.cause == wire::Cause::Stop) how += ", because it was stopped";
  return how;
}

void say(std::string_view text) {
  const Fd out(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3));
  [[maybe_unused]] const auto said = write_all(out, text).has_value();
}

class Viewer {
 public:
  explicit Viewer(const RunRecord& record)
      : record_(record),
        boot_id_(read_boot_id()),
        changes_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    ::inotify_add_watch(changes_.get(), record_.directory().c_str(), IN_MOVED_TO | IN_DELETE_SELF);
    ::inotify_add_watch(changes_.get(), record_.path("log").c_str(), IN_MODIFY);
  }

  void run() {
    const auto label = read_label(record_);
    position_ = label ? label->log_from : 0;
    std::string how;
    while (how.empty()) {
      // Looked at first: what is in the log afterwards is all there is.
      how = ending();
      copy();
      if (how.empty()) wait();
    }
    say(concat(at_line_start_ ? "" : "\n", "yonder: ", how, "\n"));
  }

 private:
  // Empty while the run goes on.
  std::string ending() const {
    const auto facts = observe(record_, boot_id_);
    if (!facts.record_found) return "the record of the run is gone";
    if (has_surely_ended(facts)) return how_it_ended(*facts.exit);
    if (facts.supervisor_lives || facts.command_lives) return "";
    return "the run is gone, and nobody has seen how it ended";
  }

  void copy() {
    if (!log_) {
      auto log = open_file(record_.path("log"), O_RDONLY | O_NONBLOCK);
      if (!log) return;
      log_ = *std::move(log);
    }
    std::array<char, 65536> buffer{};
    while (true) {
      const ssize_t n =
          ::pread(log_.get(), buffer.data(), buffer.size(), static_cast<off_t>(position_));
      if (n <= 0) return;
      position_ += static_cast<std::uint64_t>(n);
      at_line_start_ = buffer[static_cast<std::size_t>(n) - 1] == '\n';
      say({buffer.data(), static_cast<std::size_t>(n)});
    }
  }

  void wait() const {
    pollfd waiting{changes_.get(), POLLIN, 0};
    if (::poll(&waiting, 1, kLookAgainMs) <= 0) return;
    std::array<char, 16384> ignored{};
    while (::read(changes_.get(), ignored.data(), ignored.size()) > 0) {
    }
  }

  RunRecord record_;
  std::string boot_id_;
  Fd changes_;
  Fd log_;
  std::uint64_t position_ = 0;
  bool at_line_start_ = true;
};

}  // namespace

void show_in_tmux(const RunRecord& record, const wire::StartRequest& spec) {
  // Not below the supervisor: a tmux server that is started by this must not belong to the run, or
  // it would be ended with it, and with it the sessions of others. Forked twice, so that it is
  // nobody's child.
  const pid_t pid = ::fork();
  if (pid != 0) {
    if (pid > 0) ::waitpid(pid, nullptr, 0);
    return;
  }
  leave_the_link({});
  if (::fork() == 0) open_when_begun(record, spec.session);
  ::_exit(0);
}

int show_run(const RunRecord& record, const std::string& tmux_session) {
  if (!record.exists()) {
    say("yonder: there is no such run\n");
    return 1;
  }
  if (!tmux_session.empty()) {
    const auto noted =
        write_file_atomically(record.path("tmux"), tmux_session, Durability::Process);
    if (!noted) return 1;  // otherwise nobody would know what this session shows
  }
  say(concat("yonder: run ", record.id(),
             "; Ctrl-C closes this view, the run goes on; `yonder attach ", record.id(),
             "` opens it again\n"));
  Viewer(record).run();
  return 0;
}

}  // namespace yonder::outpost
