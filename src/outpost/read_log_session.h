#pragma once

#include <optional>
#include <string>

#include "base/clock.h"
#include "base/fd.h"

namespace yonder::outpost {

// Asks tmux whether there is a session of exactly this name, in a process of its own: tmux may hang
// as long as it likes. Passive: whoever asks calls step() until it is done.
class SessionQuestion {
 public:
  SessionQuestion(const std::string& tmux, const std::string& name);
  bool step();
  // Nothing when tmux did not answer, or not in words that mean one or the other.
  std::optional<bool> lives() const { return lives_; }

 private:
  Fd answer_;
  Deadline give_up_;
  std::optional<bool> lives_;
};

// Pure. How tmux ended `list-sessions`, and what it said.
std::optional<bool> session_lives(const std::string& name, bool success, const std::string& out,
                                  const std::string& err);

}  // namespace yonder::outpost
