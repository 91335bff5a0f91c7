#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/config_env.h"
#include "config/config_store.h"
#include "config/config_toml.h"
#include "config/ssh_aliases.h"

namespace yonder::config {

// Pure. Puts together what was said. A name that two of the settings define is an error; an ssh
// alias gives way to a setting of the same name without a word, because that is how one adds
// settings to an alias. The active sandbox is the first of these that exists: config.toml's
// `active`, the environment's first, config.toml's first. Only when no machine is known at all, not
// even an alias, and config.toml is not an empty file, it is `local`. Neither an alias nor this
// machine becomes active otherwise, unless it is asked for; then there is none.
Result<Catalog> build_catalog(const TomlSettings& file, const EnvironmentSettings& environment,
                              const SshAliases& aliases);

// Pure. By name or by address; see ConfigStore::find.
Result<SandboxSpec> find_in(const Catalog& catalog, const std::string& name);

// Pure. Why nothing can be done without a name, which names there are, and what to type.
Error name_one(const Catalog& catalog);

}  // namespace yonder::config
