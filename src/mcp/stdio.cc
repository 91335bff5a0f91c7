#include "mcp/stdio.h"

#include <limits.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <string>

#include "base/log.h"

namespace yonder::mcp {

void Output::send(const Json& message) {
  const std::string line = dump_json(message) + '\n';
  // Writing under the lock is the purpose of this lock: it keeps messages whole.
  state_.with([&](State& state) {
    if (state.closed) return;
    auto written = write_line(line, state);
    if (written) return;
    state.closed = true;
    log_info("mcp: the client does not read any more", {{"error", written.error().message}});
    stop_.trigger();
  });
}

// The descriptor may be shared with others, so it is not made non-blocking. A pipe that poll calls
// writable takes PIPE_BUF bytes without waiting, so pieces of that size never block.
Result<void> Output::write_line(std::string_view line, State& state) {
  while (!line.empty()) {
    TRY(wait_writable(state));
    const std::string_view piece = line.substr(0, PIPE_BUF);
    TRY(write_all(fd_, piece));
    if (state.give_up) state.give_up = Deadline::after(grace_);
    line.remove_prefix(piece.size());
  }
  return {};
}

Result<void> Output::wait_writable(State& state) {
  while (true) {
    if (stop_.triggered() && !state.give_up) state.give_up = Deadline::after(grace_);
    const Deadline deadline = state.give_up.value_or(Deadline::never());
    // Of the input only the end is of interest, which poll tells unasked.
    std::array<pollfd, 3> waiting{{{fd_.get(), POLLOUT, 0},
                                   {stop_.fd(), POLLIN, 0},
                                   {input_ != nullptr ? input_->get() : -1, POLLRDHUP, 0}}};
    const nfds_t count = state.give_up ? 1 : waiting.size();  // what was seen would end every wait
    const int ready = ::poll(waiting.data(), count, deadline.poll_timeout());
    if (ready < 0 && errno != EINTR) return errno_error("poll");
    if (ready > 0 && waiting[0].revents != 0) return {};
    if (ready > 0 && waiting[2].revents != 0 && !state.give_up) {
      state.give_up = Deadline::after(grace_);
      continue;
    }
    if (deadline.expired()) {
      return Error{Errc::Timeout, "the client left messages unread at the end", ""};
    }
  }
}

}  // namespace yonder::mcp
