#include "ops/resolve.h"

#include "base/text.h"
#include "config/catalog.h"
#include "config/config_store.h"

namespace yonder::ops {

Result<std::string> active_sandbox(Engine& engine, Session& session) {
  std::string selected = session.selected();
  if (!selected.empty()) return selected;
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  // This machine, for want of others, is left as soon as there is another one.
  if (catalog.active.empty() || catalog.only_this_machine) return catalog.active;
  return session.pin(catalog.active);
}

Result<SandboxSpec> resolve_sandbox(Engine& engine, Session& session, const std::string& name) {
  if (!name.empty()) return engine.config.find(name);
  TRY_ASSIGN(const std::string active, active_sandbox(engine, session));
  if (active.empty()) {
    TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
    return config::name_one(catalog);
  }
  auto spec = engine.config.find(active);
  if (spec || spec.error().code != Errc::NotFound) return spec;
  return Error{Errc::NotFound,
               concat("the active sandbox \"", active, "\" is not in the settings any more"),
               "put it back, or choose another one (select_sandbox, yonder use NAME)"};
}

void warn_of_broken_settings(Engine& engine, std::vector<std::string>& warnings) {
  const auto catalog = engine.config.catalog();
  if (catalog && !catalog->broken.empty()) warnings.push_back(catalog->broken);
}

std::string effective_cwd(const std::string& requested, const std::string& sandbox_cwd) {
  const bool stands_alone = requested.starts_with('/') || requested.starts_with('~');
  if (sandbox_cwd.empty() || stands_alone) return requested;
  if (requested.empty()) return sandbox_cwd;
  return sandbox_cwd + "/" + requested;
}

}  // namespace yonder::ops
