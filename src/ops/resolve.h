#pragma once

#include <string>
#include <vector>

#include "model/sandbox_spec.h"
#include "ops/engine.h"

namespace yonder::ops {

// The sandbox that a call means: the named one, else what its session has selected, else the
// configuration's active one, which is the session's own from then on. When that is not in the
// settings any more, or there is none, this is an error: work never goes to another machine.
Result<SandboxSpec> resolve_sandbox(Engine& engine, Session& session, const std::string& name);

// The name of what is meant without a name, likewise; empty when there is none.
Result<std::string> active_sandbox(Engine& engine, Session& session);

// Adds that the settings are broken, while those from before count.
void warn_of_broken_settings(Engine& engine, std::vector<std::string>& warnings);

// Where a command starts, given what the caller and the sandbox say. Pure.
std::string effective_cwd(const std::string& requested, const std::string& sandbox_cwd);

}  // namespace yonder::ops
