#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "model/sandbox_spec.h"

namespace yonder::link {

// Why a connection did not come about, from what ssh printed. Pure; the text is ssh's own, so it is
// matched by the phrases that ssh has used for decades, and shown as it is.
Error explain_failure(const SandboxSpec& spec, const std::string& errors, const std::string& noise);

// Pure. ssh asked for a password, and this is what password_command did instead of giving it.
Error explain_command_trouble(const SandboxSpec& spec, const std::string& trouble);

// Pure. The same, with a word about the agent's keys where ssh had none to offer: `environment` is
// what ssh was given.
Error add_missing_agent(Error error, const std::vector<std::string>& environment);

// The command that a person must type to log in.
std::string login_command(const SandboxSpec& spec);

}  // namespace yonder::link
