#include "run/input_source.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace yonder::run {
namespace {

constexpr std::size_t kWindow = wire::kInitialCredit;

}  // namespace

InputSource::InputSource(int fd) : fd_(fd) {
  auto pipe = make_pipe();
  if (!pipe) {
    // What could not be interrupted is not begun: the command sees the end of its input.
    state_.change([](State& s) { s.ended = true; });
    return;
  }
  wake_ = *std::move(pipe);
  reader_ = Thread("stdin", [this] { read_loop(); });
}

InputSource::~InputSource() {
  state_.change([](State& s) { s.refused = true; });
  interrupt();
  reader_.join();
}

// What is left of it in the pipe only makes the thread look once more than it has to.
void InputSource::interrupt() {
  [[maybe_unused]] const auto woken = write_all(wake_.write, "!").has_value();
}

void InputSource::read_loop() {
  std::array<char, 65536> buffer{};
  while (true) {
    const bool go_on = state_.wait(
        Deadline::never(),
        [](const State& s) { return s.refused || (s.wanted && s.bytes.size() < kWindow); },
        [](State& s) {
          s.reading = !s.refused;
          return s.reading;
        });
    if (!go_on) return;
    std::array<pollfd, 2> fds{pollfd{fd_, POLLIN, 0}, pollfd{wake_.read.get(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), -1);
    const bool interrupted = fds[1].revents != 0;
    const ssize_t n = ::read(interrupted ? wake_.read.get() : fd_, buffer.data(), buffer.size());
    const bool ended = !interrupted && n <= 0;
    state_.change([&](State& s) {
      s.reading = false;
      if (interrupted) return;
      if (n > 0) s.bytes.append(buffer.data(), static_cast<std::size_t>(n));
      s.ended = ended;
      if (s.wake) s.wake();
    });
    if (ended) return;
  }
}

void InputSource::attach(std::function<void()> wake) {
  state_.change([&](State& s) {
    s.from = s.start;
    s.sent = s.start;
    s.used = 0;
    s.end_sent = false;
    s.wake = std::move(wake);
    if (!s.bytes.empty() || s.ended) s.wake();
  });
}

void InputSource::start_reading() {
  state_.change([](State& s) { s.wanted = true; });
}

void InputSource::detach() {
  const bool reading = state_.change([](State& s) {
    s.wake = nullptr;
    s.wanted = false;
    return s.reading;
  });
  if (!reading) return;
  interrupt();
  state_.wait(
      Deadline::never(), [](const State& s) { return !s.reading; }, [](const State&) {});
}

std::uint64_t InputSource::resume_from() const {
  return state_.look([](const State& s) { return s.start; });
}

Result<void> InputSource::pump(link::Call& call) {
  return state_.change([&](State& s) -> Result<void> {
    if (call.input_closed()) {
      // What is typed from now on is for the next one who reads here.
      if (!s.refused && s.reading) interrupt();
      s.refused = true;
      s.bytes.clear();
      return {};
    }
    // Credit grows by what the command has taken; that will never have to be sent again.
    const std::uint64_t taken = s.from + call.input_credit() + s.used - kWindow;
    if (taken > s.ever_sent) {
      return Error{Errc::Protocol, "the far side has taken more input than it was sent", ""};
    }
    if (taken > s.start) {
      s.bytes.erase(0, static_cast<std::size_t>(taken - s.start));
      s.start = taken;
      s.sent = std::max(s.sent, taken);  // of an earlier attempt
    }
    const std::uint64_t waiting = s.start + s.bytes.size() - s.sent;
    const auto piece = static_cast<std::size_t>(std::min(waiting, call.input_room()));
    if (piece > 0) {
      TRY(call.send_input(s.sent, std::string_view(s.bytes).substr(
                                      static_cast<std::size_t>(s.sent - s.start), piece)));
      s.sent += piece;
      s.used += piece;
      s.ever_sent = std::max(s.ever_sent, s.sent);
    }
    if (s.ended && !s.end_sent && s.sent == s.start + s.bytes.size()) {
      TRY(call.end_input());
      s.end_sent = true;
    }
    return {};
  });
}

}  // namespace yonder::run
