#include "ops/machines.h"

#include "base/text.h"
#include "config/config_store.h"
#include "link/link_pool.h"
#include "ops/ask_machines.h"
#include "ops/give_up.h"
#include "ops/resolve.h"

namespace yonder::ops {
namespace {

// One machine is waited for; of several, those that answer are shown.
std::vector<resources::Seen> look(Engine& engine, const CallContext& context,
                                  const std::vector<SandboxSpec>& specs,
                                  std::optional<Duration> limit) {
  if (limit || specs.size() == 1) {
    const GiveUp give_up(context);
    return engine.board.look(specs, {.cancel = give_up.token(), .limit = limit});
  }
  std::vector<resources::Seen> seen;
  for (auto& machine : measure_machines(engine, context, specs)) {
    seen.push_back(std::move(machine.seen));
  }
  return seen;
}

}  // namespace

bool is_alias(const SandboxSpec& spec) {
  return spec.origin.starts_with("~/.ssh/");
}

std::vector<bool> which_to_ask(Engine& engine, const std::vector<SandboxSpec>& specs,
                               const std::string& active, Aliases aliases) {
  // Each is a process and a thread for as long as it does not answer.
  constexpr std::size_t kMostAliases = 32;
  std::vector<bool> asked;
  std::size_t room = aliases == Aliases::Many ? kMostAliases : 0;
  for (const auto& spec : specs) {
    const bool wanted =
        !is_alias(spec) || spec.name == active || engine.links.existing(spec) != nullptr;
    asked.push_back(wanted || room > 0);
    if (!wanted && room > 0) --room;
  }
  return asked;
}

std::string left_out_note(std::size_t aliases) {
  if (aliases == 0) return {};
  return concat(aliases, aliases == 1 ? " alias" : " aliases",
                " of ~/.ssh/config not asked; to include one, name it (yonder hosts --check NAME), "
                "or make it a sandbox (yonder add NAME HOST)");
}

Result<ToAsk> machines_to_ask(Engine& engine, Session& session, Aliases aliases) {
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  TRY_ASSIGN(const std::string active, active_sandbox(engine, session));
  const auto asked = which_to_ask(engine, catalog.sandboxes, active, aliases);
  ToAsk wanted;
  bool knows_active = false;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    knows_active = knows_active || catalog.sandboxes[i].name == active;
    if (asked[i]) {
      wanted.specs.push_back(catalog.sandboxes[i]);
    } else {
      ++wanted.left_out;
    }
  }
  // Such as user@host, which is in no file.
  if (!knows_active && !active.empty()) {
    if (auto spec = engine.config.find(active)) wanted.specs.push_back(*std::move(spec));
  }
  return wanted;
}

Result<MachinesSeen> look_at_machines(Engine& engine, CallContext& context,
                                      const std::vector<std::string>& names,
                                      std::optional<Duration> limit) {
  ToAsk to_ask;
  for (const auto& name : names) {
    TRY_ASSIGN(SandboxSpec spec, resolve_sandbox(engine, context.session, name));
    to_ask.specs.push_back(std::move(spec));
  }
  if (names.empty()) {
    TRY_ASSIGN(to_ask, machines_to_ask(engine, context.session, Aliases::Many));
  }
  auto& specs = to_ask.specs;
  context.progress(concat("asking ", specs.size(), specs.size() == 1 ? " machine" : " machines"));
  std::vector<resources::Seen> seen = look(engine, context, specs, limit);
  MachinesSeen machines{.machines = {}, .left_out = to_ask.left_out};
  for (std::size_t i = 0; i < specs.size(); ++i) {
    machines.machines.push_back({.spec = std::move(specs[i]), .seen = std::move(seen[i])});
  }
  return machines;
}

}  // namespace yonder::ops
