#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/resource_facts.h"
#include "model/run.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "resources/choose.h"

namespace yonder::ops {

// As the name of a sandbox: the best machine there is.
inline constexpr const char* kAnyMachine = "auto";

// Where a run is to begin.
struct Wish {
  std::string sandbox;  // may be kAnyMachine
  std::string key;      // of the run; empty: none
  resources::Needs needs;
  std::string cwd;         // where it starts; empty: the sandbox's
  bool may_wait = false;   // in a queue, for GPUs
  bool only_once = false;  // it cannot be tried on a second machine: its input would be gone
};

// What `auto` made of it.
struct Chosen {
  std::string sandbox;
  std::optional<double> idle_score;
  std::string why;
  std::vector<resources::RuledOut> ruled_out;
  std::vector<std::string> warnings;
};
Json to_json(const std::optional<Chosen>& chosen);
Json chosen_schema();

// What one attempt came to. An error means that nothing was started.
struct Attempt {
  RunId id;
  RunStatus status;
  bool found = false;  // an earlier call has begun it
};
// `taken` is to be called as soon as the machine cannot refuse it any more; at the latest its
// return says so.
using Start =
    std::function<Result<Attempt>(const SandboxSpec&, const std::function<void()>& taken)>;

// Starts it on the machine that is named, or on the best one that takes it; nothing: it was named.
// A run that was refused is removed, and is an error, or a reason to try the next machine. What may
// have started is never tried elsewhere.
Result<std::optional<Chosen>> place(Engine& engine, CallContext& context, const Wish& wish,
                                    const Start& start);

}  // namespace yonder::ops
