#include "link/opening.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>

#include "base/far_text.h"
#include "base/id.h"
#include "base/text.h"
#include "link/boot_script.h"
#include "link/connect_error.h"

namespace yonder::link {
namespace {

constexpr std::size_t kMostSaid = 16UL * 1024;
constexpr int kMostDeploys = 8;  // one for each directory that is tried
constexpr int kReadsAtOnce = 16;

class Opening {
 public:
  Opening(const Link::Setup& setup, Subprocess process, const std::string& nonce, Pipe& wake,
          const AskpassBroker::Attempt* attempt)
      : setup_(setup),
        greeting_(nonce),
        wake_(wake),
        attempt_(attempt),
        script_(boot_script(nonce, setup.images)),
        sending_(script_),
        opened_{.process = std::move(process)} {}

  Result<Opened> run(Deadline deadline, const CancelToken& cancel);

 private:
  Result<bool> on_greeting(Deadline& deadline);
  Result<void> answer_need(const GreetingReader::Need& need);
  Result<bool> read_hello();
  Error failure();
  Error killed(int signal) const;
  Error lateness();
  Deadline deploy_deadline() const;
  bool is_up_to_a_person() const;
  void wait(const Deadline& deadline);
  bool pump();

  const Link::Setup& setup_;
  GreetingReader greeting_;
  Pipe& wake_;
  const AskpassBroker::Attempt* attempt_;
  std::string script_;
  std::string_view sending_;  // what is left to send
  std::string_view program_;  // the outpost, when it was asked for
  std::string errors_;
  wire::FrameParser parser_;
  std::string parts_;
  Opened opened_;
  bool greeted_ = false;
  bool moved_ = false;  // something of ours went out
  int deploys_ = 0;
  Deadline deploy_limit_ = Deadline::never();
};

// Moves bytes both ways without waiting. False at the end of the far side's words.
bool Opening::pump() {
  moved_ = false;
  std::array<char, 16384> buffer{};
  while (!sending_.empty()) {
    const ssize_t n = ::write(opened_.process.input().get(), sending_.data(), sending_.size());
    if (n <= 0) break;
    moved_ = true;
    sending_.remove_prefix(static_cast<std::size_t>(n));
  }
  while (true) {
    const ssize_t n = ::read(opened_.process.errors().get(), buffer.data(), buffer.size());
    if (n <= 0) break;
    errors_.append(buffer.data(), static_cast<std::size_t>(n));
    if (errors_.size() > kMostSaid) errors_.erase(0, errors_.size() - kMostSaid);
  }
  // A few at a time: whoever never stops sending must not keep us from looking at the clock.
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t n = ::read(opened_.process.output().get(), buffer.data(), buffer.size());
    if (n == 0) return false;
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    if (greeted_) {
      parser_.feed(bytes);
    } else {
      greeting_.feed(bytes);
    }
  }
  return true;
}

void Opening::wait(const Deadline& deadline) {
  std::array<pollfd, 4> fds{
      pollfd{opened_.process.output().get(), POLLIN, 0},
      pollfd{opened_.process.errors().get(), POLLIN, 0},
      pollfd{sending_.empty() ? -1 : opened_.process.input().get(), POLLOUT, 0},
      pollfd{wake_.read.get(), POLLIN, 0},
  };
  ::poll(fds.data(), fds.size(), deadline.poll_timeout());
  // A prefix that closed its stderr would make every further poll return at once.
  if ((fds[1].revents & POLLHUP) != 0) {
    pump();
    opened_.process.errors().reset();
  }
}

Error Opening::failure() {
  if (attempt_ != nullptr) {
    if (const std::string trouble = attempt_->command_trouble(); !trouble.empty()) {
      return explain_command_trouble(setup_.spec, trouble);
    }
    if (const auto question = attempt_->refused()) {
      const bool host_key = question->kind == QuestionKind::HostKey;
      return Error{
          host_key ? Errc::HostKey : Errc::AuthNeeded,
          concat("'", setup_.spec.name, "' asks for a person: ", quoted_far_text(question->prompt)),
          concat(host_key ? "look at the key and accept it: " : "log in: ",
                 login_command(setup_.spec))};
    }
  }
  return explain_failure(setup_.spec, errors_, greeting_.noise());
}

// By another process of this machine, which says nothing about the other one.
Error Opening::killed(int signal) const {
  return {
      Errc::LinkLost,
      concat("the process that connects to '", setup_.spec.name, "' was ended by signal ", signal),
      "nothing was started; try again"};
}

Deadline Opening::deploy_deadline() const {
  return Deadline::earlier(Deadline::after(setup_.settings.deploy_stuck), deploy_limit_);
}

// A machine that only does not answer gets no more time because a person is there.
bool Opening::is_up_to_a_person() const {
  if (setup_.settings.typing_time == Duration::zero()) return false;
  return (attempt_ != nullptr && attempt_->asked_a_person()) || !trim(errors_).empty();
}

Error Opening::lateness() {
  auto error = failure();
  if (error.code != Errc::Unreachable) return error;
  const std::string said =
      trim(errors_).empty() ? "" : concat("; ssh said: ", quoted_far_text(errors_));
  if (sending_.empty() || !opened_.deployed) {
    error.message = concat("'", setup_.spec.name, "' did not answer in time", said);
    return error;
  }
  error.message =
      concat("'", setup_.spec.name,
             "' takes the outpost too slowly: ", human_bytes(program_.size() - sending_.size()),
             " of ", human_bytes(program_.size()), " were sent", said);
  error.hint = "the line or the machine is very slow, or does not take data any more; try again";
  return error;
}

Result<void> Opening::answer_need(const GreetingReader::Need& need) {
  if (++deploys_ > kMostDeploys) {
    return Error{Errc::Protocol,
                 concat("'", setup_.spec.name, "' asks for the outpost again and again"), ""};
  }
  for (const auto& image : setup_.images) {
    const bool same = image.machine == need.machine ||
                      (image.machine == "x86_64" && need.machine == "amd64") ||
                      (image.machine == "aarch64" && need.machine == "arm64");
    if (need.system != "Linux" || !same) continue;
    program_ = need.gzip ? image.gzip : image.raw;
    setup_.progress(concat("putting the outpost on ", setup_.spec.name, " (",
                           human_bytes(program_.size()), ")"));
    sending_ = program_;
    opened_.deployed = true;
    return {};
  }
  return Error{Errc::Unsupported,
               concat("'", setup_.spec.name, "' runs ", need.system, " on ", need.machine,
                      ", for which there is no outpost"),
               "an outpost exists for Linux on x86-64 and aarch64"};
}

// True when the outpost speaks.
Result<bool> Opening::on_greeting(Deadline& deadline) {
  while (true) {
    const auto event = greeting_.next();
    switch (event.kind) {
      case GreetingReader::Kind::Nothing: return false;
      case GreetingReader::Kind::Ready: return true;
      case GreetingReader::Kind::Failed:
        return Error{Errc::NoPlace,
                     concat("no directory on '", setup_.spec.name,
                            "' can hold the outpost: ", join(greeting_.tried(), "; ")),
                     "make one of them writable and executable for the user"};
      case GreetingReader::Kind::Need:
        TRY(answer_need(event.need));
        if (deploys_ == 1) deploy_limit_ = Deadline::after(setup_.settings.longest_deploy);
        deadline = deploy_deadline();
        break;
    }
  }
}

Result<bool> Opening::read_hello() {
  while (true) {
    TRY_ASSIGN(auto frame, parser_.next());
    if (!frame) return false;
    if (frame->kind == wire::Kind::Part) {
      parts_ += frame->payload;
      if (parts_.size() > wire::kMaxMessage) {
        return Error{Errc::Protocol, "the outpost's greeting is too long", ""};
      }
      continue;
    }
    if (frame->kind != wire::Kind::Reply || frame->stream != 0) {
      return Error{Errc::Protocol, "the outpost did not begin with its greeting", ""};
    }
    TRY_ASSIGN(opened_.hello, wire::decode_hello(parts_ + frame->payload));
    return true;
  }
}

Result<Opened> Opening::run(Deadline deadline, const CancelToken& cancel) {
  TRY(set_nonblocking(opened_.process.input()));
  TRY(set_nonblocking(opened_.process.output()));
  TRY(set_nonblocking(opened_.process.errors()));
  const auto typed_by = Deadline::after(setup_.spec.connect_timeout + setup_.settings.typing_time);
  while (true) {
    const bool open = pump();
    if (opened_.deployed && moved_) {
      deadline = deploy_deadline();
    }
    if (!greeted_) {
      TRY_ASSIGN(greeted_, on_greeting(deadline));
      if (greeted_) parser_.feed(greeting_.take_rest());
    }
    if (greeted_) {
      TRY_ASSIGN(const bool complete, read_hello());
      if (complete) break;
    }
    if (cancel.cancelled()) return Error{Errc::Cancelled, "connecting was cancelled", ""};
    if (!open || (attempt_ != nullptr && attempt_->refused())) {
      // Its last words on stderr may come after the end of its stdout.
      const auto end = opened_.process.wait(Deadline::after(std::chrono::milliseconds(500)));
      pump();
      const bool refused = attempt_ != nullptr && attempt_->refused();
      if (end && end->signaled && !refused) return killed(end->code);
      return failure();
    }
    if (deadline.expired() && !opened_.deployed && is_up_to_a_person()) deadline = typed_by;
    if (deadline.expired() || setup_.give_up.expired()) return lateness();
    wait(Deadline::earlier(deadline, setup_.give_up));
  }
  opened_.noise = greeting_.noise();
  opened_.rest = parser_.take_rest();
  return std::move(opened_);
}

}  // namespace

Result<Opened> open_conversation(const Link::Setup& setup, const Deadline& deadline,
                                 const CancelToken& cancel) {
  TRY_ASSIGN(Pipe wake, make_pipe());
  const int wake_fd = wake.write.get();
  const auto wake_up = [wake_fd] {
    [[maybe_unused]] const auto written = ::write(wake_fd, "w", 1);
  };
  // A refusal must end ssh (and a ProxyJump's ssh below it) before it hears of it: it would go on
  // with empty answers.
  std::atomic<pid_t> group{0};
  const auto end_ssh = [&group, wake_up] {
    if (const pid_t pid = group; pid > 0) ::kill(-pid, SIGKILL);
    wake_up();
  };
  const auto registration = cancel.on_cancel(wake_up);
  std::unique_ptr<AskpassBroker::Attempt> attempt;
  SpawnOptions spawn{.argv = setup.prefix.argv, .environment = setup.prefix.environment};
  if (setup.broker != nullptr && setup.prefix.asks_questions) {
    attempt = setup.broker->begin(setup.spec, end_ssh);
    spawn.environment = with_askpass(std::move(spawn.environment), attempt->environment());
  }
  setup.progress(concat("connecting to ", setup.spec.name));
  TRY_ASSIGN(Subprocess process, Subprocess::spawn(spawn));
  group = process.pid();
  Opening opening(setup, std::move(process), random_letters(20), wake, attempt.get());
  auto opened = opening.run(deadline, cancel);
  attempt.reset();  // no question is answered after this, and `group` is not looked at
  return opened;
}

}  // namespace yonder::link
