#include <algorithm>
#include <array>
#include <ctime>

#include "base/clean_text.h"
#include "base/text.h"
#include "sync/syncing.h"

namespace yonder::sync {
namespace {

std::string stamp(std::time_t when) {
  std::tm parts{};
  ::gmtime_r(&when, &parts);
  std::array<char, 32> text{};
  std::strftime(text.data(), text.size(), "%Y%m%dT%H%M%SZ", &parts);
  return text.data();
}

// Two syncs within a second must not choose the same names, whichever way they go.
std::string conflict_ending(const Look& look) {
  for (std::time_t when = std::time(nullptr);; ++when) {
    std::string ending = concat(kConflictMark, stamp(when));
    const auto has = [&](const tree::Listing& end) {
      return std::any_of(end.entries.begin(), end.entries.end(),
                         [&](const tree::Entry& entry) { return entry.path.ends_with(ending); });
    };
    if (!has(look.source) && !has(look.target)) return ending;
  }
}

OnConflict choice_for(ConflictChoice choice, Direction direction) {
  const bool push = direction == Direction::Push;
  switch (choice) {
    case ConflictChoice::KeepRemote: return push ? OnConflict::KeepTarget : OnConflict::TakeSource;
    case ConflictChoice::KeepLocal: return push ? OnConflict::TakeSource : OnConflict::KeepTarget;
    case ConflictChoice::Both: return OnConflict::Both;
    case ConflictChoice::Stop: break;
  }
  return OnConflict::Stop;
}

Result<void> check_rules(const PlanOptions& options, const Look& look) {
  if (!options.delete_extras || look.unusable_rules.empty()) return {};
  return Error{Errc::InvalidArgument,
               concat("delete_extras is refused: the rules in ", printable(look.unusable_rules),
                      " cannot be used, so nobody knows what they leave out"),
               concat(kNothingChanged, "correct that file, or give use_gitignore=false")};
}

}  // namespace

Result<Plan> Syncing::plan_for(FarTree& far, Look& look, const BaseRecord* base) {
  const SyncOptions& options = request_.options;
  const PlanOptions plan_options{.delete_extras = options.delete_extras,
                                 .confirm_delete = options.confirm_delete,
                                 .twins = options.hard_links,
                                 .on_conflict = choice_for(options.on_conflict, request_.direction),
                                 .conflict_ending = options.on_conflict == ConflictChoice::Both
                                                        ? conflict_ending(look)
                                                        : std::string()};
  PlanInput input{.source = look.source,
                  .target = look.target,
                  .base = base,
                  .rules = &look.rules,
                  .ignored = &look.ignored,
                  .now_ns = look.began_ns,
                  .source_root = look.source_root,
                  .target_root = look.target_root,
                  .made_root = made_root_,
                  .begun = bases_.begun_directories(ends_.pair(push_)),
                  .keeps_attributes = look.target_keeps_attributes};
  Plan plan = make_plan(input, plan_options);
  Plan asked;
  while (plan.asks()) {
    TRY(ends_.answer(far, plan, input));
    TRY(ends_.read_attributes(far, plan, look));
    if (!plan.questions.empty()) asked.questions = std::move(plan.questions);
    if (!plan.attribute_questions.empty()) {
      asked.attribute_questions = std::move(plan.attribute_questions);
    }
    plan = make_plan(input, plan_options);
  }
  plan.questions = std::move(asked.questions);
  plan.attribute_questions = std::move(asked.attribute_questions);
  for (const auto& [path, hashes] : input.hashes) {
    if (hashes.source && hashes.source == hashes.target)
      plan.contents.emplace(path, *hashes.source);
  }
  warn_of_kept(plan);
  auto judged = judge_removals(plan, plan_options, look, base != nullptr);
  if (judged) {
    judged_ = true;
    return plan;
  }
  if (!judged_) return std::move(judged).error();
  // Something was done already, so there is no way back to "nothing was changed".
  leave_extras(plan);
  warn(concat("no more was removed: ", judged.error().message));
  return plan;
}

void Syncing::warn_of_kept(const Plan& plan) {
  if (plan.counts.ignored > 0) {
    warn(concat(plan.counts.ignored, plan.counts.ignored == 1 ? " entry" : " entries",
                " of the target only, which .gitignore names, were not removed: "
                "delete_ignored=true removes them"));
  }
  if (!request_.options.delete_extras) return;
  for (const auto& path : plan.unmounted) {
    warn(concat(path.empty() ? "the source" : concat("'", printable(path), "'"),
                " was a file system of its own at the last sync, and is not mounted now: nothing "
                "below it was removed"));
  }
}

// A dry run is how one looks first: it says what would be refused, and shows the rest.
Result<void> Syncing::judge_removals(Plan& plan, const PlanOptions& options, const Look& look,
                                     bool has_record) {
  if (!options.delete_extras) return {};
  DeleteGuard guard = ends_.guard(look);
  // What an attempt of this sync has written down does not make the other entries known.
  guard.has_record = has_record && !(judged_ && began_without_record_);
  if (!judged_) began_without_record_ = !has_record;
  if (guard.single_file) warn("delete_extras does nothing for a single file");
  PlanOptions wanted = options;
  // Of what was confirmed, an earlier attempt has removed a part.
  const bool confirmed =
      judged_ && options.confirm_delete && plan.counts.removals() <= *options.confirm_delete;
  if (confirmed) wanted.confirm_delete = plan.counts.removals();
  if (request_.dry_run && !options.confirm_delete && needs_confirming(plan, guard)) {
    plan.needs_confirm = plan.counts.removals();
    wanted.confirm_delete = plan.needs_confirm;
    warn(concat(*plan.needs_confirm, " of ", guard.target_entries,
                " entries would be removed: would need confirm_delete=", *plan.needs_confirm));
  }
  auto judged = check_rules(options, look);
  if (judged) judged = check_removals(plan, wanted, guard);
  if (!request_.dry_run || judged) return judged;
  const Error& error = judged.error();
  const std::string_view hint = error.hint;
  warn(concat("not without dry_run: ", error.message, "; ",
              hint.substr(hint.starts_with(kNothingChanged) ? kNothingChanged.size() : 0)));
  return {};
}

}  // namespace yonder::sync
