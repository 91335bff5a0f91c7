#include "ops/choosing.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/text.h"
#include "ops/give_up.h"
#include "ops/machines.h"
#include "ops/resolve.h"
#include "resources/board.h"
#include "resources/fit.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr std::int64_t kRecentMs = 60'000;
// For machines that do not answer while another one has: work is not to wait for them.
constexpr auto kPatience = std::chrono::seconds(5);

// The built-in `local` is no machine that somebody set up for work, unless there is nothing else.
void leave_out_built_in(std::vector<SandboxSpec>& specs, const std::string& active) {
  const auto is_built_in = [&](const SandboxSpec& spec) {
    return spec.origin == "built in" && spec.name != active;
  };
  specs.erase(std::remove_if(specs.begin(), specs.end(), is_built_in), specs.end());
}

std::string nobody_fits(const std::vector<resources::RuledOut>& ruled_out) {
  std::string text = "no machine fits:";
  for (const auto& one : ruled_out) text += concat("\n  ", one.name, ": ", one.why);
  return text;
}

}  // namespace

SandboxSpec where_it_starts(SandboxSpec spec, const Wish& wish) {
  spec.cwd = effective_cwd(wish.cwd, spec.cwd);
  return spec;
}

Error key_trouble(const char* what, const Error& why) {
  return {why.code, concat("where the run of this key was placed ", what, ": ", why.message),
          "nothing was started; name the machine, or mend the database (yonder doctor)"};
}

Result<void> Choosing::look() {
  TRY_ASSIGN(ToAsk to_ask, machines_to_ask(engine_, context_.session, Aliases::InUse));
  specs_ = std::move(to_ask.specs);
  aliases_left_out_ = to_ask.left_out;
  TRY_ASSIGN(const std::string active, active_sandbox(engine_, context_.session));
  leave_out_built_in(specs_, active);
  TRY(leave_out_by_label());
  context_.progress(concat("choosing among ", specs_.size(), " machines"));
  ask(kPatience);
  // Whoever answered cannot do it: then the slow ones are worth the wait.
  if (cut_short_ && rank_now({}).fit.empty()) ask(std::nullopt);
  if (context_.cancel.cancelled() || context_.abandon.cancelled()) {
    return Error{Errc::Cancelled, "cancelled before anything was started", ""};
  }
  return {};
}

Result<SandboxSpec> Choosing::next() {
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

void Choosing::rule_out(const std::string& why) {
  if (!wish_.key.empty()) {
    [[maybe_unused]] const bool forgotten = engine_.store.forget_place(wish_.key).has_value();
  }
  tried_.push_back({chosen_.sandbox, why});
  const auto is_it = [&](const auto& one) { return one.name == chosen_.sandbox; };
  candidates_.erase(std::remove_if(candidates_.begin(), candidates_.end(), is_it),
                    candidates_.end());
}

Result<void> Choosing::leave_out_by_label() {
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

void Choosing::ask(std::optional<Duration> patience) {
  const SeeThrough give_up(context_);
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

resources::Ranking Choosing::rank_now(const std::map<std::string, int>& recent) const {
  return resources::rank(candidates_, wish_.needs, recent, wish_.may_wait);
}

std::vector<resources::RuledOut> Choosing::all_ruled_out(const resources::Ranking& ranking) const {
  std::vector<resources::RuledOut> all = tried_;
  all.insert(all.end(), ranking.ruled_out.begin(), ranking.ruled_out.end());
  return all;
}

Chosen Choosing::make_chosen(const resources::Ranking& ranking) const {
  const resources::Ranked& best = ranking.fit.front();
  Chosen chosen{.sandbox = best.name,
                .idle_score = best.score.value,
                .why = best.why,
                .ruled_out = all_ruled_out(ranking),
                .warnings = warnings_};
  for (std::size_t i = 1; i < ranking.fit.size(); ++i) {
    chosen.ruled_out.push_back(
        {ranking.fit[i].name, "fits, but comes after it: " + resources::standing(ranking.fit[i])});
  }
  return chosen;
}

Error Choosing::nobody(const resources::Ranking& ranking) const {
  const auto ruled_out = all_ruled_out(ranking);
  const bool queue_helps =
      !wish_.may_wait && !resources::rank(candidates_, wish_.needs, {}, true).fit.empty();
  std::string hint = ruled_out.empty() ? "add machines: yonder add NAME HOST"
                     : queue_helps ? "ask for less, or queue a background run with when: \"free\""
                                   : "ask for less, or try again later";
  if (aliases_left_out_ > 0) {
    hint += concat("; work is not placed on mere aliases of ~/.ssh/config (", aliases_left_out_,
                   "): yonder add NAME HOST lets it be placed on one");
  }
  return {Errc::Conflict,
          ruled_out.empty() ? "there is no machine to choose from" : nobody_fits(ruled_out),
          std::move(hint)};
}

}  // namespace yonder::ops
