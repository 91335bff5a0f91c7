#include "ops/sandboxes.h"

#include <algorithm>

#include "base/text.h"
#include "config/config_store.h"
#include "link/link_pool.h"
#include "ops/ask_machines.h"
#include "ops/give_up.h"
#include "ops/machines.h"
#include "ops/resolve.h"

namespace yonder::ops {
namespace {

// Beyond the connect time-out: sending the outpost, the first time.
constexpr auto kCheckSlack = std::chrono::milliseconds(500);

using Asked = std::vector<SandboxStatus*>;

// What was heard; `alive` stays open of those that have not said anything.
void add_contact(SandboxStatus& status, const std::optional<resources::Contact>& contact) {
  if (!contact) {
    status.connection_error = no_answer_yet();
    return;
  }
  status.machine = contact->machine;
  status.connection_error = contact->error;
  if (contact->round_trip) status.round_trip_ms = to_seconds(*contact->round_trip) * 1000;
  status.connection_alive = !contact->error;
}

void check_contacts(Engine& engine, const CallContext& context, const Asked& asked,
                    Duration patience) {
  std::vector<SandboxSpec> specs;
  for (const auto* status : asked) specs.push_back(status->spec);
  const GiveUp give_up(context);
  const auto contacts =
      engine.board.contacts().ask(specs, Deadline::after(patience), give_up.token());
  for (std::size_t i = 0; i < asked.size(); ++i) add_contact(*asked[i], contacts[i]);
}

// One round trip each: a machine that says what it has is alive.
std::vector<MeasuredMachine> look_until(Engine& engine, const CallContext& context,
                                        const std::vector<SandboxSpec>& specs, Duration limit) {
  std::size_t answered = 0;
  resources::LookOptions options{.cancel = context.cancel, .limit = limit};
  options.on_seen = [&](std::size_t /*index*/, const resources::Seen& seen) {
    if (seen.facts) ++answered;
    context.progress(concat(answered, " of ", specs.size(), " machines have answered"));
  };
  std::vector<MeasuredMachine> machines;
  for (auto& seen : engine.board.look(specs, options)) {
    machines.push_back({.seen = std::move(seen), .round_trip = {}});
  }
  return machines;
}

void check_resources(Engine& engine, const CallContext& context, const Asked& asked,
                     std::optional<Duration> limit) {
  std::vector<SandboxSpec> specs;
  for (const auto* status : asked) specs.push_back(status->spec);
  const auto machines =
      limit ? look_until(engine, context, specs, *limit) : measure_machines(engine, context, specs);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const resources::Seen& seen = machines[i].seen;
    SandboxStatus& status = *asked[i];
    status.resources = seen;
    status.connection_error = seen.error;
    if (!machines[i].silent) status.connection_alive = seen.facts.has_value();
    if (machines[i].round_trip) status.round_trip_ms = to_seconds(*machines[i].round_trip) * 1000;
    if (const auto link = engine.links.existing(status.spec); link && seen.facts) {
      status.machine = link->machine();
    }
  }
}

Result<std::vector<SandboxSpec>> specs_to_list(Engine& engine, const config::Catalog& catalog,
                                               const std::vector<std::string>& names) {
  if (names.empty()) return catalog.sandboxes;
  std::vector<SandboxSpec> specs;
  for (const auto& name : names) {
    TRY_ASSIGN(SandboxSpec spec, engine.config.find(name));
    specs.push_back(std::move(spec));
  }
  return specs;
}

Asked choose_asked(Engine& engine, const ListRequest& request, SandboxList& list) {
  std::vector<SandboxSpec> specs;
  for (const auto& status : list.sandboxes) specs.push_back(status.spec);
  const auto wanted = which_to_ask(engine, specs, list.active, request.aliases);
  Asked asked;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] || !request.names.empty()) {
      asked.push_back(&list.sandboxes[i]);
    } else {
      ++list.not_asked;
    }
  }
  return asked;
}

}  // namespace

Result<SandboxList> list_sandboxes(Engine& engine, CallContext& context,
                                   const ListRequest& request) {
  TRY_ASSIGN(const config::Catalog catalog, engine.config.catalog());
  TRY_ASSIGN(std::string active, active_sandbox(engine, context.session));
  SandboxList list{.active = std::move(active), .warnings = catalog.warnings};
  TRY_ASSIGN(const auto specs, specs_to_list(engine, catalog, request.names));
  for (const auto& spec : specs) {
    list.sandboxes.push_back({.spec = spec, .is_active = spec.name == list.active});
  }
  if (request.check == Check::Nothing) return list;
  const Asked asked = choose_asked(engine, request, list);
  context.progress(concat("asking ", asked.size(), " sandboxes"));
  if (request.check == Check::Resources) {
    check_resources(engine, context, asked, request.limit);
  } else {
    check_contacts(engine, context, asked, request.limit.value_or(kListPatience));
  }
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
  check_contacts(engine, context, {&status}, status.spec.connect_timeout + kCheckSlack);
  return status;
}

}  // namespace yonder::ops
