#include "ops/resolve.h"

#include "config/config_store.h"

namespace yonder::ops {

Result<SandboxSpec> resolve_sandbox(Engine& engine, const Session& session,
                                    const std::string& name) {
  if (!name.empty()) return engine.config.find(name);
  const std::string selected = session.selected();
  if (!selected.empty()) return engine.config.find(selected);
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  return engine.config.find(catalog.active);
}

bool starts_in_place(const std::string& requested) {
  return !requested.starts_with('/') && !requested.starts_with('~');
}

std::string effective_cwd(const std::string& requested, const std::string& sandbox_cwd) {
  if (sandbox_cwd.empty() || !starts_in_place(requested)) return requested;
  if (requested.empty()) return sandbox_cwd;
  return sandbox_cwd + "/" + requested;
}

}  // namespace yonder::ops
