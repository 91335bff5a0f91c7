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

std::string effective_cwd(const std::string& requested, const std::string& sandbox_cwd) {
  const bool stands_alone = requested.starts_with('/') || requested.starts_with('~');
  if (sandbox_cwd.empty() || stands_alone) return requested;
  if (requested.empty()) return sandbox_cwd;
  return sandbox_cwd + "/" + requested;
}

}  // namespace yonder::ops
