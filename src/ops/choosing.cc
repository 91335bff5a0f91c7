#include "ops/choosing.h"

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "base/quote.h"
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

std::string with_reasons(std::string text, const std::vector<resources::RuledOut>& ruled_out) {
  for (const auto& one : ruled_out) text += concat("\n  ", one.name, ": ", one.why);
  return text;
}

std::string nobody_fits(const std::vector<resources::RuledOut>& ruled_out) {
  return with_reasons("no machine fits:", ruled_out);
}

std::string silent_for(Duration since) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(since).count();
  return concat("did not answer ", seconds,
                " s ago, and was not waited for; it is being asked again");
}

bool needs_a_person(Errc code) {
  return code == Errc::AuthNeeded || code == Errc::HostKey;
}

// Pure. The first that was left out because nobody is asked for anything while choosing.
std::string login_needed(const std::map<std::string, Errc>& failed) {
  for (const auto& [name, code] : failed) {
    if (!needs_a_person(code)) continue;
    return concat("; to let '", name, "' be chosen, log in: yonder login ", shell_quote(name));
  }
  return "";
}

// Pure. No machine could be used, whatever the work: asking for less would not help.
Error unusable(const std::map<std::string, Errc>& failed,
               const std::vector<resources::RuledOut>& ruled_out) {
  for (const auto& [name, code] : failed) {
    if (!is_retryable(code)) continue;
    return {Errc::Unreachable, with_reasons("no machine answers:", ruled_out),
            concat("nothing was started; try again, or look closer with: yonder doctor ",
                   shell_quote(name), login_needed(failed))};
  }
  const auto& [name, code] = *failed.begin();
  const bool person = needs_a_person(code);
  return {code, with_reasons("no machine can be used:", ruled_out),
          concat("nothing was started; ",
                 person ? "log in: yonder login " : "look closer with: yonder doctor ",
                 shell_quote(name), person ? "" : login_needed(failed))};
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
  silence_.look(engine_, specs_);
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

void Choosing::rule_out(const Error& why) {
  failed_[chosen_.sandbox] = why.code;
  rule_out(why.message);
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

// When all were silent before, they are waited for, but not for all of the time again.
resources::LookOptions Choosing::how_to_look(std::optional<Duration> patience) const {
  if (silence_.of_all()) return {.limit = kPatience};
  return {.patience = patience};
}

void Choosing::ask(std::optional<Duration> patience) {
  const SeeThrough give_up(context_);
  std::vector<SandboxSpec> places;
  for (const auto& spec : specs_) {
    if (!silence_.of(spec)) places.push_back(where_it_starts(spec, wish_));
  }
  resources::LookOptions options = how_to_look(patience);
  options.cancel = give_up.token();
  const auto all = engine_.board.look(places, options);
  candidates_.clear();
  failed_.clear();
  cut_short_ = false;
  auto seen = all.begin();
  for (const auto& spec : specs_) {
    resources::Candidate one{.name = spec.name, .labels = spec.labels};
    if (const auto since = silence_.of(spec)) {
      one.error = silent_for(*since);
      failed_[spec.name] = Errc::Unreachable;
      engine_.board.contacts().ask_again(spec);
    } else {
      take_seen(spec, *seen++, one);
    }
    candidates_.push_back(std::move(one));
  }
}

void Choosing::take_seen(const SandboxSpec& spec, const resources::Seen& seen,
                         resources::Candidate& one) {
  one.facts = seen.facts;
  if (!seen.error) return;
  one.error = seen.error->message;
  failed_[spec.name] = seen.error->code;
  cut_short_ |= seen.error->code == Errc::Timeout && !silence_.of_all();
  if (!is_silence(*seen.error, seen.took)) return;
  note_silence(engine_.store, spec, *seen.error, seen.took);
  engine_.board.contacts().ask_again(spec);
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

// Of all machines that answered: then no machine would fit, however little was asked for.
bool Choosing::no_directory() const {
  const auto lacks = [](const resources::Candidate& one) {
    return one.facts && !resources::missing_directory(*one.facts).empty();
  };
  const auto answered = [](const resources::Candidate& one) { return one.facts.has_value(); };
  return std::any_of(candidates_.begin(), candidates_.end(), answered) &&
         std::all_of(candidates_.begin(), candidates_.end(),
                     [&](const auto& one) { return !answered(one) || lacks(one); });
}

Error Choosing::nobody(const resources::Ranking& ranking) const {
  const auto ruled_out = all_ruled_out(ranking);
  if (!specs_.empty() && failed_.size() == specs_.size()) return unusable(failed_, ruled_out);
  if (no_directory()) {
    return {Errc::InvalidArgument, nobody_fits(ruled_out),
            "nothing was run; make the directory on one of them, or give another cwd"};
  }
  const bool queue_helps =
      !wish_.may_wait && !resources::rank(candidates_, wish_.needs, {}, true).fit.empty();
  std::string hint = ruled_out.empty() ? "add machines: yonder add NAME HOST"
                     : queue_helps ? "ask for less, or queue a background run with when: \"free\""
                                   : "ask for less, or try again later";
  hint += login_needed(failed_);
  if (aliases_left_out_ > 0) {
    hint += concat("; work is not placed on mere aliases of ~/.ssh/config (", aliases_left_out_,
                   "): yonder add NAME HOST lets it be placed on one");
  }
  return {Errc::Conflict,
          ruled_out.empty() ? "there is no machine to choose from" : nobody_fits(ruled_out),
          std::move(hint)};
}

}  // namespace yonder::ops
