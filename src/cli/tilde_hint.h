#pragma once

#include <string>

#include "base/error.h"
#include "ops/engine.h"

namespace yonder::cli {

// Pure. What to say of a path of another machine that begins with the home directory of this one:
// the shell here expands an unquoted ~ before we see it. Empty when it does not begin so.
std::string tilde_hint(const std::string& path, const std::string& home);

// Pure. The error with that hint behind its own, when the path may be to blame for it.
Error with_tilde_hint(Error error, const std::string& path, const std::string& home);

// The same for a path of `sandbox` (empty: the active one), unless that is this machine.
Error with_tilde_hint(Error error, const std::string& path, ops::Engine& engine,
                      const std::string& sandbox);
bool is_elsewhere(ops::Engine& engine, const std::string& sandbox);

}  // namespace yonder::cli
