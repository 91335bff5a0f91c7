#pragma once

#include <string>

#include "base/json.h"
#include "model/sandbox_spec.h"
#include "ops/engine.h"

namespace yonder::ops {

// What became of config.toml.
struct Configured {
  std::string sandbox;
  std::string file;
  std::string active;    // now; empty: none
  bool changed = false;  // nothing had to be written otherwise
};

// For people only. Each changes one thing in config.toml and leaves the rest as it is.

// Makes a sandbox or an alias the active one, for every session that begins later.
Result<Configured> use_sandbox(Engine& engine, const std::string& name);
// `spec.host` may be an address (user@host:port), too. Conflict when the name is taken.
Result<Configured> add_sandbox(Engine& engine, SandboxSpec spec);
// Only what config.toml itself says. When it was the active one, then none is.
Result<Configured> remove_sandbox(Engine& engine, const std::string& name);

Json to_json(const Configured& configured);

}  // namespace yonder::ops
