#include "ops/sandboxes.h"

#include <algorithm>

#include "base/text.h"
#include "base/thread.h"
#include "config/config_store.h"
#include "link/link_pool.h"
#include "ops/machines.h"
#include "ops/resolve.h"

namespace yonder::ops {
namespace {

// Beyond the connect time-out: sending the outpost, the first time.
constexpr auto kCheckSlack = std::chrono::milliseconds(500);

void check_connection(Engine& engine, const CallContext& context, SandboxStatus& status) {
  const auto deadline = Deadline::after(status.spec.connect_timeout + kCheckSlack);
  auto link = engine.links.acquire(status.spec, {.deadline = deadline, .cancel = context.cancel});
  if (link) {
    // A link that was up a moment ago may be half-open: only an answer shows that it lives.
    auto round_trip = (*link)->ping(deadline, context.cancel);
    if (round_trip) {
      status.round_trip_ms = to_seconds(*round_trip) * 1000;
      status.machine = (*link)->machine();
    } else {
      status.connection_error = round_trip.error();
    }
  } else {
    status.connection_error = link.error();
  }
  status.connection_alive = !status.connection_error.has_value();
}

void check_machine(Engine& engine, const CallContext& context, Check check, SandboxStatus& status) {
  check_connection(engine, context, status);
  if (check != Check::Resources) return;
  if (status.connection_error) {
    status.resources = resources::Seen{.facts = {}, .error = status.connection_error};
  } else {
    status.resources = engine.board.look({status.spec}, {.cancel = context.cancel}).front();
  }
}

std::string active_name(const config::Catalog& catalog, const Session& session) {
  const std::string selected = session.selected();
  return selected.empty() ? catalog.active : selected;
}

}  // namespace

Result<SandboxList> list_sandboxes(Engine& engine, CallContext& context, Check check) {
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  SandboxList list{.active = active_name(catalog, context.session), .warnings = catalog.warnings};
  for (const auto& spec : catalog.sandboxes) {
    list.sandboxes.push_back({.spec = spec, .is_active = spec.name == list.active});
  }
  if (check == Check::Nothing) return list;
  context.progress(concat("asking ", list.sandboxes.size(), " sandboxes"));
  std::vector<Thread> threads;
  for (auto& status : list.sandboxes) {
    // Somebody's ssh config may name a hundred machines that nobody wants to be called now.
    const bool wanted =
        !is_alias(status.spec) || status.is_active || engine.links.existing(status.spec) != nullptr;
    if (!wanted) continue;
    threads.emplace_back("check " + status.spec.name,
                         [&, check] { check_machine(engine, context, check, status); });
  }
  threads.clear();  // joins them all
  return list;
}

Result<SandboxStatus> select_sandbox(Engine& engine, CallContext& context,
                                     const std::string& name) {
  TRY_ASSIGN(SandboxSpec spec, engine.config.find(name));
  context.session.select(name);
  return SandboxStatus{.spec = std::move(spec), .is_active = true};
}

Result<SandboxStatus> get_active_sandbox(Engine& engine, CallContext& context) {
  TRY_ASSIGN(SandboxSpec spec, resolve_sandbox(engine, context.session, ""));
  SandboxStatus status{.spec = std::move(spec), .is_active = true};
  check_connection(engine, context, status);
  return status;
}

}  // namespace yonder::ops
