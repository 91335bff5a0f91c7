#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/machine.h"
#include "ops/engine.h"

namespace yonder::ops {

enum class Verdict { Ok, Note, Problem };

// One line of a diagnosis: what was looked at, what was seen, and what to do about it.
struct Finding {
  Verdict verdict = Verdict::Ok;
  std::string subject;  // "connect", "clock"
  std::string seen;
  std::string fix;  // empty when there is nothing to do
};

struct SandboxDiagnosis {
  std::string name;
  std::vector<Finding> findings;
};

struct Diagnosis {
  std::vector<Finding> general;  // what was read from where, which ssh, which directories here
  std::vector<SandboxDiagnosis> sandboxes;
  bool healthy() const;
};

// Looks at everything, or at one sandbox. Only an unknown name is an error: problems are findings.
// Of several machines, one that has not answered within two seconds is not waited for; `wait` is
// another limit, also for one.
Result<Diagnosis> diagnose(Engine& engine, CallContext& context,
                           const std::optional<std::string>& sandbox,
                           std::optional<Duration> wait = std::nullopt);
// Where the sandbox keeps its run records is not remembered any more: where it finds them is where
// they are.
Result<void> forget_state_place(Engine& engine, const std::string& sandbox);
Json to_json(const Diagnosis& diagnosis);

}  // namespace yonder::ops
