#pragma once

#include <cstdint>

#include "base/result.h"
#include "outpost/run_record.h"
#include "wire/frame.h"
#include "wire/messages.h"

namespace yonder::outpost {

// What of a run's output was given back to the disk, from its file `gone`.
struct Gone {
  wire::Gap out;
  wire::Gap err;

  wire::Gap& of(wire::Channel channel) { return channel == wire::Channel::Out ? out : err; }
};
Gone read_gone(const RunRecord& record);
// Into a record that no other process uses.
Result<void> write_gone(const RunRecord& record, const Gone& gone);

// Of a run that was started for a model no more is ever shown than so much of either end of an
// output.
inline constexpr std::uint64_t kKeptOfEachEnd = 1024UL * 1024;

// Adds to what is gone, on the disk and in `gap`: first the word for it, then the hole, so that no
// reader takes zeros for output. False where the file system cannot make holes; then all is kept.
bool give_back(const RunRecord& record, wire::Channel channel, wire::Gap& gap,
               const wire::Gap& more);

}  // namespace yonder::outpost
