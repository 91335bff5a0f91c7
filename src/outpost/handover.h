#pragma once

#include <optional>
#include <string>

#include "base/fd.h"
#include "outpost/held_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// How a run is given to a process that was forked before the run was known: one message with its
// directory, its spec, and copies of its lock and of the descriptor that holds the directory.

inline constexpr std::size_t kMaxHandover = 64UL * 1024;

struct Channel {
  Fd near;
  Fd far;
};
std::optional<Channel> make_channel();

std::string encode_handover(const RunRecord& record, const wire::StartRequest& spec);
// False when the other process does not live.
bool hand_over(const Fd& channel, const std::string& message, const Fd& lock,
               const HeldRecord& held);

struct TakenOver {
  HeldRecord held;
  wire::StartRequest spec;
  Fd lock;
};
// Waits. Nothing when the other end was closed.
std::optional<TakenOver> take_over(const Fd& channel);

// In the other direction: the lock of a record that the waiting process has made. Over a channel of
// its own: an offer that nobody accepts would break one over which a run comes.
bool offer_lock(const Fd& channel, const Fd& lock);
// Does not wait: empty when there is none yet.
Fd accept_lock(const Fd& channel);

}  // namespace yonder::outpost
