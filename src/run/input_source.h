#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/fd.h"
#include "base/guarded.h"
#include "base/thread.h"
#include "link/link.h"

namespace yonder::run {

// Streams a descriptor of ours into a run's stdin. Keeps what the command has not taken yet, so
// that after a lost link it can be sent again from the right byte. Reads only while it is told to:
// the descriptor may be the terminal at which a person is asked for a password meanwhile.
class InputSource {
 public:
  explicit InputSource(int fd);
  ~InputSource();

  // A new attempt to deliver: `wake` is called (from the reading thread) when there is more to
  // send. Nothing is read yet.
  void attach(std::function<void()> wake);
  // The command has been started and listens, for as long as this attempt goes on.
  void start_reading();
  // Returns when nothing is being read any more.
  void detach();
  // The first byte that this attempt will send.
  std::uint64_t resume_from() const;
  // Sends what may be sent, and drops what the command has taken.
  Result<void> pump(link::Call& call);

 private:
  struct State {
    std::string bytes;            // what was read and not yet confirmed
    std::uint64_t start = 0;      // the offset of its first byte
    std::uint64_t from = 0;       // where this attempt began
    std::uint64_t sent = 0;       // the offset up to which nothing is left to send
    std::uint64_t used = 0;       // what this attempt has sent, and credit was used for
    std::uint64_t ever_sent = 0;  // by any attempt
    bool wanted = false;          // there is a command that listens
    bool reading = false;         // the thread looks at the descriptor
    bool ended = false;           // our descriptor has
    bool end_sent = false;
    bool refused = false;  // the command wants no more
    std::function<void()> wake;
  };
  void read_loop();
  void interrupt();

  int fd_;
  Pipe wake_;  // readable when the thread shall look at the state again
  Monitor<State> state_;
  Thread reader_;
};

}  // namespace yonder::run
