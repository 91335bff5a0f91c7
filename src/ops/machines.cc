#include "ops/machines.h"

#include "base/text.h"
#include "config/config_store.h"
#include "link/link_pool.h"
#include "ops/give_up.h"
#include "ops/resolve.h"

namespace yonder::ops {

bool is_alias(const SandboxSpec& spec) {
  return spec.origin.starts_with("~/.ssh/");
}

Result<std::vector<SandboxSpec>> machines_to_ask(Engine& engine, const Session& session) {
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  const std::string selected = session.selected();
  const std::string& active = selected.empty() ? catalog.active : selected;
  std::vector<SandboxSpec> wanted;
  bool knows_active = false;
  for (const auto& spec : catalog.sandboxes) {
    const bool is_active = spec.name == active;
    knows_active = knows_active || is_active;
    if (is_active || !is_alias(spec) || engine.links.existing(spec) != nullptr) {
      wanted.push_back(spec);
    }
  }
  // Such as user@host, which is in no file.
  if (!knows_active) {
    if (auto spec = engine.config.find(active)) wanted.push_back(*std::move(spec));
  }
  return wanted;
}

Result<std::vector<MachineSeen>> look_at_machines(Engine& engine, CallContext& context,
                                                  const std::vector<std::string>& names,
                                                  std::optional<Duration> limit) {
  std::vector<SandboxSpec> specs;
  for (const auto& name : names) {
    TRY_ASSIGN(SandboxSpec spec, resolve_sandbox(engine, context.session, name));
    specs.push_back(std::move(spec));
  }
  if (names.empty()) {
    TRY_ASSIGN(specs, machines_to_ask(engine, context.session));
  }
  context.progress(concat("asking ", specs.size(), specs.size() == 1 ? " machine" : " machines"));
  const GiveUp give_up(context);
  std::vector<resources::Seen> seen =
      engine.board.look(specs, {.cancel = give_up.token(), .limit = limit});
  std::vector<MachineSeen> machines;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    machines.push_back({.spec = std::move(specs[i]), .seen = std::move(seen[i])});
  }
  return machines;
}

}  // namespace yonder::ops
