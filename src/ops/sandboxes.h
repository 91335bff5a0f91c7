#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/machine.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"
#include "ops/machines.h"
#include "resources/board.h"

namespace yonder::ops {

struct SandboxStatus {
  SandboxSpec spec;
  bool is_active = false;
  std::optional<bool> connection_alive;  // nothing: not asked, or no answer yet
  std::optional<Error> connection_error;
  std::optional<Machine> machine;
  std::optional<double> round_trip_ms;
  std::optional<resources::Seen> resources;  // nothing: not asked
};

enum class Check { Nothing, Connection, Resources };

struct SandboxList {
  std::string active;  // empty: none
  std::vector<SandboxStatus> sandboxes;
  std::vector<std::string> warnings;  // of the configuration
  std::size_t not_asked = 0;          // aliases that a check left out
};

struct ListRequest {
  Check check = Check::Nothing;
  std::optional<Duration> limit;
  std::vector<std::string> names;  // only these; empty: all
  Aliases aliases = Aliases::InUse;
};

// All sandboxes at once. A check connects to them. Those that do not answer within two seconds, or
// the limit where there is one, are left out; without a limit they are asked on, for the next call.
Result<SandboxList> list_sandboxes(Engine& engine, CallContext& context,
                                   const ListRequest& request);
Result<SandboxStatus> select_sandbox(Engine& engine, CallContext& context, const std::string& name);
Result<SandboxStatus> get_active_sandbox(Engine& engine, CallContext& context);

Json to_json(const SandboxList& list);
Json to_json(const SandboxStatus& status);

}  // namespace yonder::ops
