#pragma once

#include "base/cancel.h"
#include "ops/doctor_findings.h"
#include "ops/engine.h"

namespace yonder::ops {

// Looks, and judges nothing. Each returns in bounded time.

// The home directory of this user by the system's list; empty: not in it.
std::string account_home();

SshClient look_for_ssh(const std::vector<std::string>& environment);

struct LookOptions {
  bool is_active = false;
  bool has_ssh = true;
};
// Connects to the sandbox. Thread: any.
SandboxSeen look_at_sandbox(Engine& engine, const SandboxSpec& spec, const LookOptions& options,
                            const CancelToken& cancel);

}  // namespace yonder::ops
