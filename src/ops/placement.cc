#include "ops/placement.h"

#include "base/text.h"
#include "config/config_store.h"
#include "ops/choosing.h"
#include "ops/give_up.h"
#include "ops/key_turn.h"
#include "ops/resolve.h"
#include "ops/schema.h"
#include "resources/board.h"
#include "resources/fit.h"
#include "run/runs.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

bool asks_for_room(const resources::Needs& needs) {
  return needs.memory_mb > 0 || needs.disk_mb > 0;
}

// A machine that was named: its GPUs are its supervisor's business, at the moment of the start.
Result<void> check_named(Engine& engine, const CallContext& context, const SandboxSpec& spec,
                         const Wish& wish) {
  resources::Reasons reasons = resources::why_labels_lack(spec.labels, wish.needs.labels);
  if (reasons.empty() && asks_for_room(wish.needs)) {
    const SeeThrough give_up(context);
    const resources::Seen seen =
        engine.board.look({where_it_starts(spec, wish)}, {.cancel = give_up.token()}).front();
    if (!seen.facts) return *seen.error;
    if (const std::string absent = resources::missing_directory(*seen.facts); !absent.empty()) {
      return Error{Errc::InvalidArgument,
                   concat("commands cannot start on ", spec.name, ": ", absent),
                   "nothing was run; make the directory first, or give another cwd"};
    }
    reasons = resources::why_room_lacks(*seen.facts, wish.needs);
  }
  if (reasons.empty()) return {};
  return Error{Errc::Conflict, concat(spec.name, " does not fit: ", join(reasons, "; ")),
               "ask for less, or let \"auto\" choose another machine"};
}

// Its record says nothing that the caller is not told now, and its key must not find it again.
void remove_refused(Engine& engine, const SandboxSpec& spec, const RunId& id) {
  [[maybe_unused]] const bool removed = engine.runs.remove(spec, id, {}).has_value();
  [[maybe_unused]] const bool forgotten = engine.store.forget(id).has_value();
}

// What helps stands in the reason: the machine knows whether waiting does.
Error refusal(const std::string& sandbox, const std::string& why) {
  return {Errc::Conflict, concat(sandbox, ": ", why), ""};
}

// The machine could not be used, whatever the work.
bool is_about_the_machine(Errc code) {
  return code == Errc::Unreachable || code == Errc::LinkLost || code == Errc::Timeout ||
         code == Errc::AuthNeeded || code == Errc::HostKey || code == Errc::NoPlace;
}

// A key may find a run that was refused some time ago, which says nothing of now.
Result<Attempt> start_now(Engine& engine, const Wish& wish, const SandboxSpec& spec,
                          const Start& start, const std::function<void()>& taken) {
  auto attempt = start(spec, taken);
  engine.board.forget(spec);  // what was seen of the machine was without this run
  const bool of_then = attempt && attempt->status.state == RunState::Refused && attempt->found;
  if (!of_then || wish.only_once) return attempt;
  remove_refused(engine, spec, attempt->id);
  return start(spec, taken);
}

// A key means one piece of work: where it was to begin, it may have begun. Nothing when it has not.
Result<std::optional<Chosen>> place_again(Engine& engine, const Wish& wish, const Start& start,
                                          const std::function<void()>& taken) {
  const auto place = engine.store.place_of_key(wish.key);
  if (!place) return key_trouble("is not known", place.error());
  if (!*place) return std::optional<Chosen>();
  const auto spec = engine.config.find(**place);
  if (!spec) {
    return Error{Errc::NotFound,
                 concat("the run of this key was placed on ", **place,
                        ", which is not configured any more: it may run there"),
                 "nothing was started; configure it again, or use another key"};
  }
  TRY_ASSIGN(const Attempt attempt, start_now(engine, wish, *spec, start, taken));
  if (attempt.status.state != RunState::Refused) {
    return {Chosen{.sandbox = spec->name, .why = "this key was placed there before"}};
  }
  remove_refused(engine, *spec, attempt.id);
  return std::optional<Chosen>();
}

Result<KeyTurn> take_turn(Engine& engine, const CallContext& context, const Wish& wish) {
  if (wish.key.empty()) return KeyTurn();
  const SeeThrough give_up(context);
  return KeyTurn::take(engine.state_directory, wish.key, give_up.token());
}

Result<std::optional<Chosen>> place_anywhere(Engine& engine, CallContext& context, const Wish& wish,
                                             const Start& start) {
  TRY_ASSIGN(KeyTurn turn, take_turn(engine, context, wish));
  const auto taken = [&turn] { turn.end(); };
  if (!wish.key.empty()) {
    TRY_ASSIGN(std::optional<Chosen> again, place_again(engine, wish, start, taken));
    if (again) return again;
  }
  Choosing choosing(engine, context, wish);
  TRY(choosing.look());
  while (true) {
    TRY_ASSIGN(const SandboxSpec spec, choosing.next());
    context.progress(concat("chose ", spec.name, ": ", choosing.chosen().why));
    const auto attempt = start_now(engine, wish, spec, start, taken);
    if (attempt && attempt->status.state != RunState::Refused) return {choosing.chosen()};
    if (attempt) remove_refused(engine, spec, attempt->id);
    const bool elsewhere = attempt || is_about_the_machine(attempt.error().code);
    if (wish.only_once || !elsewhere) {
      if (attempt) return refusal(spec.name, attempt->status.proof);
      return attempt.error();
    }
    if (attempt) {
      choosing.rule_out(attempt->status.proof);
    } else {
      choosing.rule_out(attempt.error());
    }
  }
}

}  // namespace

Result<std::optional<Chosen>> place(Engine& engine, CallContext& context, const Wish& wish,
                                    const Start& start) {
  if (wish.sandbox == kAnyMachine) return place_anywhere(engine, context, wish, start);
  TRY_ASSIGN(const SandboxSpec spec, resolve_sandbox(engine, context.session, wish.sandbox));
  TRY(check_named(engine, context, spec, wish));
  TRY_ASSIGN(const Attempt attempt, start_now(engine, wish, spec, start, [] {}));
  if (attempt.status.state != RunState::Refused) return std::optional<Chosen>();
  remove_refused(engine, spec, attempt.id);
  return refusal(spec.name, attempt.status.proof);
}

Json to_json(const std::optional<Chosen>& chosen) {
  if (!chosen) return {};
  Json ruled_out = Json::array();
  for (const auto& one : chosen->ruled_out) {
    ruled_out.push_back({{"sandbox", one.name}, {"why", one.why}});
  }
  return Json{{"sandbox", chosen->sandbox},
              {"idle_score", chosen->idle_score ? Json(*chosen->idle_score) : Json()},
              {"why", chosen->why},
              {"ruled_out", ruled_out}};
}

Json chosen_schema() {
  return Json{
      {"type", Json::array({"object", "null"})},
      {"description",
       "With sandbox_name \"auto\": sandbox, idle_score, why, ruled_out [{sandbox, why}]."}};
}

}  // namespace yonder::ops
