#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// Pure. Each takes the text of a valid config.toml and returns it with one thing changed; all else,
// comments and order included, stays as it is, byte for byte. Errc::Config where the text is
// written in a way that only a person can change, Errc::InvalidArgument for what cannot be written
// there.

Result<std::string> with_active(std::string_view text, const std::string& name);
// Without the key `active`, if it has this value.
Result<std::string> without_active(std::string_view text, const std::string& name);

// Adds [sandbox.NAME] at the end: name, host, user, port, key_file, cwd and labels of `spec`.
Result<std::string> with_sandbox(std::string_view text, const SandboxSpec& spec);

// Without [sandbox.NAME] and its keys. Comments around them stay. NotFound when there is none.
Result<std::string> without_sandbox(std::string_view text, const std::string& name);

}  // namespace yonder::config
