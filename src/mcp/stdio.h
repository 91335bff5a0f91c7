#pragma once

#include <optional>
#include <string_view>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/json.h"
#include "mcp/stop_signal.h"

namespace yonder::mcp {

// The only one who writes to the client: one message a line, never two mixed.
class Output {
 public:
  // A client that has left, or has stopped reading while the session ends, must not hold us up.
  // `input`, where given, is where it would be heard from: once that has ended, so has its time.
  // The thread that reads it may be the one that waits here.
  Output(const Fd& fd, StopSignal& stop, Duration grace = std::chrono::seconds(1),
         const Fd* input = nullptr)
      : fd_(fd), stop_(stop), grace_(grace), input_(input) {}

  // Waits while the client does not read. When it cannot be written to any more, the session is
  // stopped and this and every later message is dropped. Thread: any.
  void send(const Json& message);

 private:
  struct State {
    bool closed = false;
    std::optional<Deadline> give_up;  // set when the session ends; later with all that it reads
  };
  Result<void> write_line(std::string_view line, State& state);
  Result<void> wait_writable(State& state);

  const Fd& fd_;
  StopSignal& stop_;
  Duration grace_;
  const Fd* const input_;
  Guarded<State> state_;
};

}  // namespace yonder::mcp
