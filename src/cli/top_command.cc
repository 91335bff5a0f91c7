#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/interrupts.h"
#include "cli/render.h"
#include "cli/top_collect.h"
#include "cli/top_once.h"
#include "cli/top_screen.h"

namespace yonder::cli {
namespace {

// Ages grow also when nothing else happens.
constexpr int kTickMs = 500;
// Many machines have much news; nobody reads faster than that.
constexpr int kPaintMs = 50;
// For those that answer; the others are shown as they are.
constexpr auto kOncePatience = std::chrono::milliseconds(1800);

int fail(const TopOptions& options, const Error& error) {
  show_failure(error, format_of(options.json));
  return kExitFailure;
}

std::string terminal_variable(const std::vector<std::string>& environment, std::string_view name) {
  const std::string start = concat(name, "=");
  for (const auto& entry : environment) {
    if (entry.starts_with(start)) return entry.substr(start.size());
  }
  return "";
}

int signal_status(const Interrupts& interrupts) {
  return kExitSignalBase + interrupts.first_signal();
}

// Keys, news and resizes, one after the other, on the thread that paints.
class TopLoop {
 public:
  TopLoop(TopScreen& screen, TopCollector& collector, const Interrupts& interrupts)
      : screen_(screen), collector_(collector), interrupts_(interrupts) {}

  int run() {
    while (true) {
      screen_.paint(top_draw(collector_.known(), view_, screen_.size(), TopTime::now()));
      if (!wait()) return kExitSuccess;  // the terminal is gone
      if (interrupts_.cancel().cancelled()) return signal_status(interrupts_);
      collector_.take_news();
      while (const auto key = screen_.next_key()) {
        if (!press(*key)) return kExitSuccess;
      }
    }
  }

 private:
  bool wait() {
    std::array<pollfd, 4> fds{
        pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{interrupts_.wake_fd(), POLLIN, 0},
        pollfd{screen_.resize_fd(), POLLIN, 0}, pollfd{collector_.news_fd(), POLLIN, 0}};
    const int ready = ::poll(fds.data(), fds.size(), kTickMs);
    // News can wait for a moment, a key cannot.
    if (ready == 1 && fds[3].revents != 0) ::poll(fds.data(), fds.size() - 1, kPaintMs);
    if (fds[2].revents != 0) screen_.take_new_size();
    return (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) == 0;
  }

  bool press(const TopKey& key) {
    TopStep step = top_press(collector_.known(), std::move(view_), key);
    view_ = std::move(step.view);
    if (step.action == TopAction::OpenLog) collector_.open_log(step.machine, step.run_id);
    if (step.action == TopAction::CloseLog) collector_.close_log();
    return step.action != TopAction::Quit;
  }

  TopScreen& screen_;
  TopCollector& collector_;
  const Interrupts& interrupts_;
  TopView view_;
};

int watch(const TopOptions& options, ops::Engine& engine, const Screen& shown_on,
          const Interrupts& interrupts) {
  TopScreen::prepare();
  const auto collector =
      TopCollector::start(engine, {.names = options.sandboxes, .interval = options.interval});
  if (!collector) return fail(options, collector.error());
  auto screen = TopScreen::open(terminal_variable(engine.environment, "TERM"), shown_on.styled);
  if (!screen) return fail(options, screen.error());
  return TopLoop(**screen, **collector, interrupts).run();
}

int stopped_writing(Written written, int error, const Interrupts& interrupts) {
  return written == Written::Interrupted ? signal_status(interrupts) : status_after(written, error);
}

int stream(const TopOptions& options, TopCollector& collector, const Interrupts& interrupts) {
  const Output out = Output::to_stdout(interrupts.wake_fd());
  const Duration once = options.wait.value_or(kOncePatience);
  const Duration patience = options.once ? once : options.interval;
  collector.wait_for_all(Deadline::after(patience), interrupts.cancel());
  while (!interrupts.cancel().cancelled()) {
    const Deadline next = Deadline::after(options.interval);
    const auto written = out.write(dump_json(top_json(collector.known(), TopTime::now())) + "\n");
    if (written != Written::Yes) return stopped_writing(written, errno, interrupts);
    if (options.once) return kExitSuccess;
    pollfd stop{interrupts.wake_fd(), POLLIN, 0};
    ::poll(&stop, 1, next.poll_timeout());
  }
  if (options.once) {
    show_failure({Errc::Cancelled, "interrupted before all machines had answered", ""},
                 Format::Json);
  }
  return signal_status(interrupts);
}

int print_once(const TopOptions& options, TopCollector& collector, const Screen& shown_on,
               const Interrupts& interrupts) {
  collector.wait_for_all(Deadline::after(options.wait.value_or(kOncePatience)),
                         interrupts.cancel());
  if (interrupts.cancel().cancelled()) return signal_status(interrupts);
  const TopKnown known = collector.known();
  const TopTime now = TopTime::now();
  const std::string text = shown_on.terminal
                               ? top_tables(known, shown_on.width, shown_on.styled, now)
                               : tab_separated(top_fields(known, now));
  if (const int failed = print_then(text); failed != kExitSuccess) return failed;
  if (!known.trouble.empty()) say(known.trouble);
  // The table may have cut it.
  for (const auto& machine : known.machines) {
    if (shown_on.terminal && machine.error) {
      say(concat(machine.name, ": ", machine.error->message));
    }
  }
  return kExitSuccess;
}

}  // namespace

int top_command(const TopOptions& options, const Doors& doors) {
  const auto engine = doors.silent_engine();
  if (!engine) return fail(options, engine.error());
  const auto interrupts = Interrupts::install([](int) {});
  if (!interrupts) return fail(options, interrupts.error());
  const Screen shown_on = screen((*engine)->environment);
  const bool has_keys = shown_on.terminal && ::isatty(STDIN_FILENO) == 1;
  if (has_keys && !options.once && !options.json) {
    return watch(options, **engine, shown_on, **interrupts);
  }
  const auto collector =
      TopCollector::start(**engine, {.names = options.sandboxes, .interval = options.interval});
  if (!collector) return fail(options, collector.error());
  if (options.json) return stream(options, **collector, **interrupts);
  return print_once(options, **collector, shown_on, **interrupts);
}

}  // namespace yonder::cli
