#pragma once

#include <optional>

#include "base/error.h"
#include "model/machine.h"
#include "model/sandbox_spec.h"
#include "store/store.h"

namespace yonder::ops {

// Pure. Why runs must not be started or looked for on this machine: it keeps its records elsewhere
// than it did, so that a run that exists would be started again, or be called missing.
std::optional<Error> misplaced(const std::optional<store::Store::StatePlace>& known,
                               const SandboxSpec& sandbox, const Machine& machine);

// Compares the machine with what is remembered of it, and remembers it. For each link that was
// opened. Thread: any.
std::optional<Error> meet_machine(store::Store& store, const SandboxSpec& sandbox,
                                  const Machine& machine);

}  // namespace yonder::ops
