#include "ops/placement.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "config/config_store.h"
#include "ops/give_up.h"
#include "ops/key_turn.h"
#include "ops/machines.h"
#include "ops/resolve.h"
#include "ops/schema.h"
#include "resources/board.h"
#include "resources/fit.h"
#include "run/runs.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr std::int64_t kRecentMs = 60'000;
// For machines that do not answer while another one has: work is not to wait for them.
constexpr auto kPatience = std::chrono::seconds(5);

bool asks_for_room(const resources::Needs& needs) {
  return needs.memory_mb > 0 || needs.disk_mb > 0;
}

// The disk that counts is that of the run.
SandboxSpec where_it_starts(SandboxSpec spec, const Wish& wish) {
  spec.cwd = effective_cwd(wish.cwd, spec.cwd);
  return spec;
}

// A machine that was named: its GPUs are its supervisor's business, at the moment of the start.
Result<void> check_named(Engine& engine, const CallContext& context, const SandboxSpec& spec,
                         const Wish& wish) {
  resources::Reasons reasons = resources::why_labels_lack(spec.labels, wish.needs.labels);
  if (reasons.empty() && asks_for_room(wish.needs)) {
    const GiveUp give_up(context);
    const resources::Seen seen =
        engine.board.look({where_it_starts(spec, wish)}, {.cancel = give_up.token()}).front();
    if (!seen.facts) return *seen.error;
    reasons = resources::why_room_lacks(*seen.facts, wish.needs);
  }
  if (reasons.empty()) return {};
  return Error{Errc::Conflict, concat(spec.name, " does not fit: ", join(reasons, "; ")),
               "ask for less, or let sandbox_name \"auto\" choose another machine"};
}

// Its record says nothing that the caller is not told now, and its key must not find it again.
void remove_refused(Engine& engine, const SandboxSpec& spec, const RunId& id) {
  [[maybe_unused]] const bool removed = engine.runs.remove(spec, id, {}).has_value();
  [[maybe_unused]] const bool forgotten = engine.store.forget(id).has_value();
}

Error refusal(const std::string& sandbox, const std::string& why, bool may_wait) {
  return {Errc::Conflict, concat(sandbox, ": ", why),
          may_wait ? ""
                   : "exec_bash_background with when: \"free\" (yonder run --when free) queues it"};
}

// The machine could not be used, whatever the work.
bool is_about_the_machine(Errc code) {
  return code == Errc::Unreachable || code == Errc::LinkLost || code == Errc::Timeout ||
         code == Errc::AuthNeeded || code == Errc::HostKey || code == Errc::NoPlace;
}

// The built-in `local` is no machine that somebody set up for work, unless there is nothing else.
void leave_out_built_in(std::vector<SandboxSpec>& specs, const std::string& active) {
  const auto is_built_in = [&](const SandboxSpec& spec) {
    return spec.origin == "built in" && spec.name != active;
  };
  specs.erase(std::remove_if(specs.begin(), specs.end(), is_built_in), specs.end());
}

// Without knowing where the run of a key is, nothing may be started: it may be there.
Error key_trouble(const char* what, const Error& why) {
  return {why.code, concat("where the run of this key was placed ", what, ": ", why.message),
          "nothing was started; name the machine, or mend the database (yonder doctor)"};
}

std::string nobody_fits(const std::vector<resources::RuledOut>& ruled_out) {
  std::string text = "no machine fits:";
  for (const auto& one : ruled_out) text += concat("\n  ", one.name, ": ", one.why);
  return text;
}

class Choosing {
 public:
  Choosing(Engine& engine, CallContext& context, const Wish& wish)
      : engine_(engine), context_(context), wish_(wish) {}

  Result<void> look() {
    TRY_ASSIGN(specs_, machines_to_ask(engine_, context_.session));
    TRY_ASSIGN(const SandboxSpec active, resolve_sandbox(engine_, context_.session, ""));
    leave_out_built_in(specs_, active.name);
    TRY(leave_out_by_label());
    context_.progress(concat("choosing among ", specs_.size(), " machines"));
    ask(kPatience);
    // Whoever answered cannot do it: then the slow ones are worth the wait.
    if (cut_short_ && rank_now({}).fit.empty()) ask(std::nullopt);
    if (context_.cancel.cancelled() || context_.detach.cancelled()) {
      return Error{Errc::Cancelled, "cancelled before anything was started", ""};
    }
    return {};
  }

  // The next machine to try.
  Result<SandboxSpec> next() {
    resources::Ranking ranking;
    const auto decide = [&](const std::map<std::string, int>& recent) {
      ranking = rank_now(recent);
      return ranking.fit.empty() ? std::string() : ranking.fit.front().name;
    };
    const store::Store::Choice choice{
        .now_ms = wall_clock_ms(), .window_ms = kRecentMs, .key = wish_.key};
    if (const auto noted = engine_.store.choose(choice, decide); !noted) {
      // The next call with this key would not find it, and begin it again elsewhere.
      if (!wish_.key.empty()) return key_trouble("cannot be noted down", noted.error());
      ranking = rank_now({});
      warnings_ = {concat("choices of the last minute are not known: ", noted.error().message)};
    }
    if (ranking.fit.empty()) return nobody(ranking);
    chosen_ = make_chosen(ranking);
    const auto spec = std::find_if(specs_.begin(), specs_.end(),
                                   [&](const auto& one) { return one.name == chosen_.sandbox; });
    return *spec;
  }

  // Nothing was started there.
  void rule_out(const std::string& why) {
    if (!wish_.key.empty()) {
      [[maybe_unused]] const bool forgotten = engine_.store.forget_place(wish_.key).has_value();
    }
    tried_.push_back({chosen_.sandbox, why});
    const auto is_it = [&](const auto& one) { return one.name == chosen_.sandbox; };
    candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), is_it),
                      candidates_.end());
  }

  const Chosen& chosen() const { return chosen_; }

 private:
  // Labels are known here: nobody has to be asked for them.
  Result<void> leave_out_by_label() {
    std::vector<SandboxSpec> left;
    std::set<std::string> labels;
    for (auto& spec : specs_) {
      labels.insert(spec.labels.begin(), spec.labels.end());
      const auto reasons = resources::why_labels_lack(spec.labels, wish_.needs.labels);
      if (reasons.empty()) {
        left.push_back(std::move(spec));
      } else {
        tried_.push_back({spec.name, join(reasons, "; ")});
      }
    }
    specs_ = std::move(left);
    if (!specs_.empty() || wish_.needs.labels.empty()) return {};
    return Error{Errc::Conflict, nobody_fits(tried_),
                 labels.empty() ? "no sandbox has labels; see docs/machines.md"
                                : concat("labels that sandboxes have: ",
                                         join({labels.begin(), labels.end()}, ", "))};
  }

  void ask(std::optional<Duration> patience) {
    const GiveUp give_up(context_);
    std::vector<SandboxSpec> places;
    for (const auto& spec : specs_) places.push_back(where_it_starts(spec, wish_));
    const auto seen = engine_.board.look(places, {.cancel = give_up.token(), .patience = patience});
    candidates_.clear();
    cut_short_ = false;
    for (std::size_t i = 0; i < specs_.size(); ++i) {
      resources::Candidate one{.name = specs_[i].name, .labels = specs_[i].labels};
      one.facts = seen[i].facts;
      if (seen[i].error) one.error = seen[i].error->message;
      if (seen[i].error && seen[i].error->code == Errc::Timeout) cut_short_ = true;
      candidates_.push_back(std::move(one));
    }
  }

  resources::Ranking rank_now(const std::map<std::string, int>& recent) const {
    return resources::rank(candidates_, wish_.needs, recent, wish_.may_wait);
  }

  std::vector<resources::RuledOut> all_ruled_out(const resources::Ranking& ranking) const {
    std::vector<resources::RuledOut> all = tried_;
    all.insert(all.end(), ranking.ruled_out.begin(), ranking.ruled_out.end());
    return all;
  }

  Chosen make_chosen(const resources::Ranking& ranking) const {
    const resources::Ranked& best = ranking.fit.front();
    Chosen chosen{.sandbox = best.name,
                  .idle_score = best.score.value,
                  .why = best.why,
                  .ruled_out = all_ruled_out(ranking),
                  .warnings = warnings_};
    for (std::size_t i = 1; i < ranking.fit.size(); ++i) {
      chosen.ruled_out.push_back({ranking.fit[i].name, "fits, but comes after it: " +
                                                           resources::standing(ranking.fit[i])});
    }
    return chosen;
  }

  Error nobody(const resources::Ranking& ranking) const {
    const auto ruled_out = all_ruled_out(ranking);
    const bool queue_helps =
        !wish_.may_wait && !resources::rank(candidates_, wish_.needs, {}, true).fit.empty();
    return {Errc::Conflict,
            ruled_out.empty() ? "there is no machine to choose from" : nobody_fits(ruled_out),
            ruled_out.empty() ? "add machines to config.toml; see docs/machines.md"
            : queue_helps     ? "ask for less, or queue a background run with when: \"free\""
                              : "ask for less, or try again later"};
  }

  Engine& engine_;
  CallContext& context_;
  const Wish& wish_;
  std::vector<SandboxSpec> specs_;
  std::vector<resources::Candidate> candidates_;
  std::vector<resources::RuledOut> tried_;
  std::vector<std::string> warnings_;
  bool cut_short_ = false;
  Chosen chosen_;
};

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
  const GiveUp give_up(context);
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
      if (attempt) return refusal(spec.name, attempt->status.proof, wish.may_wait);
      return attempt.error();
    }
    choosing.rule_out(attempt ? attempt->status.proof : attempt.error().message);
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
  return refusal(spec.name, attempt.status.proof, wish.may_wait);
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
