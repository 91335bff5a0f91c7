#pragma once

#include <string>

#include "model/sandbox_spec.h"
#include "ops/engine.h"

namespace yonder::ops {

// The sandbox that a call means: the named one, else what its session has selected, else the
// configuration's active one.
Result<SandboxSpec> resolve_sandbox(Engine& engine, const Session& session,
                                    const std::string& name);

// Pure. In the directory of the sandbox or below it, whatever that is.
bool starts_in_place(const std::string& requested);
// Where a command starts, given what the caller and the sandbox say. Pure.
std::string effective_cwd(const std::string& requested, const std::string& sandbox_cwd);

}  // namespace yonder::ops
