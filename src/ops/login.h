#pragma once

#include <string>

#include "ops/engine.h"

namespace yonder::ops {

struct LoginResult {
  std::string sandbox;
  std::string kept_by;  // the control socket that later links use; empty when ssh needs none
  double seconds = 0;
  bool was_kept = false;  // by an earlier login, which works: nothing was asked or changed
};

// Logs in with a person at the terminal and keeps the connection for later links of this user, so
// that a one-time code is asked for once. Fails when there is no terminal to ask at.
Result<LoginResult> login(Engine& engine, CallContext& context, const std::string& sandbox);
// Ends what login kept.
Result<void> logout(Engine& engine, CallContext& context, const std::string& sandbox);

}  // namespace yonder::ops
