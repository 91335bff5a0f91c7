#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "resources/board.h"

namespace yonder::ops {

// A mere alias of ~/.ssh/config. There may be a hundred that nobody wants to be called now.
bool is_alias(const SandboxSpec& spec);

// Those to ask when nobody names any: all that are configured; of the aliases the active one and
// those that a link leads to already.
Result<std::vector<SandboxSpec>> machines_to_ask(Engine& engine, const Session& session);

struct MachineSeen {
  SandboxSpec spec;
  resources::Seen seen;
};
// Asks these, or when none is named those above, all at once. With a limit, those that have not
// answered by then have an error.
Result<std::vector<MachineSeen>> look_at_machines(Engine& engine, CallContext& context,
                                                  const std::vector<std::string>& names,
                                                  std::optional<Duration> limit = std::nullopt);

// What list_sandboxes shows of a machine.
Json resources_json(const resources::Seen& seen);

// {"machines": [{"name", "gpu", "gpu_queue", "error", ...}]}
Json gpus_json(const std::vector<MachineSeen>& machines);

}  // namespace yonder::ops
