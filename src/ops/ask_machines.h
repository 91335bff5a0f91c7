#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/error.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "resources/board.h"

namespace yonder::ops {

// Machines that answer do so within it; an answer about several is not to wait for the others.
constexpr auto kListPatience = std::chrono::milliseconds(1800);

// What is said of a machine that has not answered by then.
Error no_answer_yet();

// Asks several machines at once, each in a thread of its own, and does not wait for those that do
// not answer within `patience`; they are asked on, for the next call. `ask` begins at once where a
// link is up, else when the machine was reached; its token is cancelled when the machine turns out
// not to answer. Returns what was heard of each; nothing: no answer yet.
using AskOne = std::function<void(std::size_t index, const CancelToken& token)>;
std::vector<std::optional<resources::Contact>> ask_machines(Engine& engine,
                                                            const std::vector<SandboxSpec>& specs,
                                                            Duration patience,
                                                            const CancelToken& cancel,
                                                            const AskOne& ask);

// The same, to see what they have.
struct MeasuredMachine {
  resources::Seen seen;
  std::optional<Duration> round_trip;
  bool silent = false;  // no answer yet
};
std::vector<MeasuredMachine> measure_machines(Engine& engine, const CallContext& context,
                                              const std::vector<SandboxSpec>& specs);

}  // namespace yonder::ops
