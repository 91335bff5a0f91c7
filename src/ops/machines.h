#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "resources/board.h"

namespace yonder::ops {

// A mere alias of ~/.ssh/config. There may be a hundred that nobody wants to be called now.
bool is_alias(const SandboxSpec& spec);

// Which of the mere aliases are asked when no machine is named.
enum class Aliases {
  InUse,  // the active one, and those that a link leads to already: for agents, and to place work
  Many,   // as many as can be asked at once: where a person asks about machines
};

// Those to ask when the caller names none: all that are configured, and some aliases.
struct ToAsk {
  std::vector<SandboxSpec> specs;
  std::size_t left_out = 0;  // aliases that are not among them
};
Result<ToAsk> machines_to_ask(Engine& engine, Session& session, Aliases aliases);
// Of these, likewise; in their order.
std::vector<bool> which_to_ask(Engine& engine, const std::vector<SandboxSpec>& specs,
                               const std::string& active, Aliases aliases);

// Says that aliases were left out, and how to include them; empty for none.
std::string left_out_note(std::size_t aliases);

struct MachineSeen {
  SandboxSpec spec;
  resources::Seen seen;
};
struct MachinesSeen {
  std::vector<MachineSeen> machines;
  std::size_t left_out = 0;
};
// For people. Asks these, or when none is named those above, all at once. Of several, those that do
// not answer within two seconds, or the limit where there is one, have an error.
Result<MachinesSeen> look_at_machines(Engine& engine, CallContext& context,
                                      const std::vector<std::string>& names,
                                      std::optional<Duration> limit = std::nullopt);

// What list_sandboxes shows of a machine.
Json resources_json(const resources::Seen& seen);

// {"machines": [{"name", "gpu", "gpu_queue", "error", ...}], "not_asked": null}
Json gpus_json(const MachinesSeen& seen);

}  // namespace yonder::ops
