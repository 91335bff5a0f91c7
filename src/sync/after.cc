#include "sync/after.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "sync/copy.h"
#include "sync/paths.h"
#include "sync/times.h"

namespace yonder::sync {
namespace {

// Rules, and what cannot be read, hide things from one sync that the one before has seen.
Paths hidden_in(const Look& look) {
  Paths hidden;
  for (const auto* listing : {&look.source, &look.target}) {
    for (const auto& skip : listing->skips) hidden.insert(skip.path);
  }
  return hidden;
}

// With what the target has of the same name and type; null: nothing.
using SourceWork = std::function<void(const tree::Entry& source, const tree::Entry* target)>;
void for_each_source(const Look& look, const SourceWork& work) {
  const auto& to = look.target.entries;
  std::size_t t = 0;
  for (const auto& source : look.source.entries) {
    while (t < to.size() && tree::comes_before(to[t].path, source.path)) ++t;
    const bool both = t < to.size() && to[t].path == source.path && to[t].type == source.type;
    work(source, both ? &to[t] : nullptr);
  }
}

TimeSteps steps_of(const Look& look) {
  return {time_step_of(look.source.entries), time_step_of(look.target.entries)};
}

// One of two that are the same, so that it is known again. Of files the time is the more exact one,
// which is the later: the other end may have rounded it. Links with other times are the same, and
// keep them.
Known as_found(const tree::Entry& own, const tree::Entry& other, const TimeSteps& steps) {
  tree::Seen seen = tree::seen_as(own);
  const bool same = steps.same(other.mtime_ns, own.mtime_ns);
  if (own.type != tree::Type::File || !same) return seen;
  seen.mtime_ns = std::max(own.mtime_ns, other.mtime_ns);
  return {seen, other.mtime_ns};
}

tree::Seen seen_as(const Action& action) {
  return {.exists = true, .type = action.type, .size = action.size, .mtime_ns = action.mtime_ns};
}

Known as_intended(const Action& action) {
  return {seen_as(action), action.mtime_ns,
          action.keeps_mode ? std::nullopt : AgreedMode(action.mode)};
}

// Modes that both ends have now.
class ModesAfter {
 public:
  explicit ModesAfter(const Outcome& outcome)
      : before_(outcome.mode_before), lost_(outcome.tally.lost_modes) {
    const Plan& plan = outcome.plan;
    const Tally& tally = outcome.tally;
    for (const Action& action : plan.actions) {
      if (action.act != Act::Remove && !action.keeps_mode) given_.insert(action.path);
    }
    for (std::size_t i = 0; i < plan.directories.size(); ++i) {
      const Action& action = plan.directories[i];
      if (action.keeps_mode || tally.has_failed(number_of_directory(plan, i))) continue;
      given_.insert(action.path);
    }
  }
  AgreedMode of(const tree::Entry& source, const tree::Entry* target) const {
    if (given_.contains(source.path)) return lost_ ? std::nullopt : AgreedMode(source.mode);
    if (target != nullptr && target->mode == source.mode) return source.mode;
    return before_(source.path, source.type);
  }
  AgreedMode of(const Action& action) const {
    if (action.keeps_mode) return before_(action.path, action.type);
    return lost_ ? std::nullopt : AgreedMode(action.mode);
  }
  AgreedMode of_root(const Look& look) const {
    const tree::Entry source{.type = tree::Type::Directory, .mode = look.source_root->mode};
    if (!look.target_root) return of(source, nullptr);
    const tree::Entry target{.type = tree::Type::Directory, .mode = look.target_root->mode};
    return of(source, &target);
  }

 private:
  const ModeBefore& before_;
  const bool lost_;  // the target has others than it was given
  Paths given_;
};

// What was read of the files that both ends have now.
class ContentsAfter {
 public:
  explicit ContentsAfter(const Outcome& outcome) : outcome_(outcome) {
    const auto& actions = outcome.plan.actions;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      const bool sends = actions[i].act == Act::PutFile || actions[i].act == Act::PutTwin;
      if (sends)
        sent_[actions[i].path] = outcome.tally.contents(actions[i].twin_action.value_or(i));
    }
  }
  Contents of(const tree::Entry& source, const tree::Seen& seen) const {
    if (source.type != tree::Type::File) return std::nullopt;
    const auto sent = sent_.find(source.path);
    return sent != sent_.end() ? sent->second : of_same(source.path, source.hash, seen);
  }
  Contents of(const Action& action) const {
    if (action.type != tree::Type::File) return std::nullopt;
    const auto sent = sent_.find(action.path);
    return sent != sent_.end() ? sent->second : of_same(action.path, std::nullopt, seen_as(action));
  }

 private:
  // Where both ends were hashed they are found to be the same by that.
  Contents of_same(const std::string& path, const Contents& hash, const tree::Seen& seen) const {
    const auto read = outcome_.plan.contents.find(path);
    if (read != outcome_.plan.contents.end()) return read->second;
    if (hash) return hash;
    const Known* before = outcome_.known_before(path);
    return before != nullptr && before->seen == seen ? before->contents : std::nullopt;
  }
  const Outcome& outcome_;
  std::unordered_map<std::string_view, Contents> sent_;
};

// When the source was changed, as far as what its attributes were then is at both ends.
std::int64_t changed_after(const Outcome& outcome, const std::string& path,
                           std::int64_t changed_ns) {
  const bool settled =
      changed_ns != 0 && outcome.look.target_keeps_attributes && outcome.tally.lost_attributes == 0;
  const std::int64_t tick = changed_ns % 1000000 == 0 ? kCoarseTick : kFineTick;
  if (settled && changed_ns + tick < outcome.look.began_ns) return changed_ns;
  const Known* before = outcome.known_before(path);
  return before != nullptr && before->changed_ns == changed_ns ? changed_ns : 0;
}

// One that is not mounted now is remembered until it is again.
std::vector<std::string> mounts_after(const tree::Listing& source,
                                      const std::optional<BaseRecord>& before) {
  std::vector<std::string> mounts = source.mounts;
  for (auto& path : before ? before->mounts() : std::vector<std::string>()) {
    if (std::find(mounts.begin(), mounts.end(), path) == mounts.end()) {
      mounts.push_back(std::move(path));
    }
  }
  return mounts;
}

}  // namespace

std::set<std::string_view> unsettled(const Plan& plan, const Tally& tally) {
  std::set<std::string_view> paths;
  for (const auto& left : plan.left) {
    const bool decided = left.why == Left::Excluded || left.why == Left::Special;
    if (!decided) paths.insert(left.path);
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (tally.has_failed(i) || tally.was_kept(i)) paths.insert(plan.actions[i].path);
  }
  return paths;
}

std::string intents_of(const Plan& plan, const std::string& prefix) {
  std::string intents;
  for (const Action& action : plan.actions) {
    if (action.act == Act::Remove || action.act == Act::MakeDirectory) continue;
    intents += pack_intent(prefix + action.path, as_intended(action));
  }
  return intents + directory_intents_of(plan, prefix);
}

std::string directory_intents_of(const Plan& plan, const std::string& prefix) {
  std::string intents;
  const auto add = [&](const Action& action) {
    intents += pack_intent(prefix + action.path, as_intended(action));
  };
  for (const Action& action : plan.actions) {
    if (action.act == Act::MakeDirectory) add(action);
  }
  for (const Action& action : plan.directories) {
    if (action.changes_mode && !action.path.empty()) add(action);
  }
  return intents;
}

void for_settled_in_target(const Outcome& outcome, const Settled& work) {
  const auto& [plan, look, tally, before, known_before] = outcome;
  const auto open = unsettled(plan, tally);
  const TimeSteps steps = steps_of(look);
  const ModesAfter modes(outcome);
  const ContentsAfter contents(outcome);
  for_each_source(look, [&](const tree::Entry& source, const tree::Entry* target) {
    if (target == nullptr || open.contains(source.path)) return;
    Known known = as_found(*target, source, steps);
    known.mode = modes.of(source, target);
    known.contents = contents.of(source, known.seen);
    known.changed_ns = changed_after(outcome, source.path, source.changed_ns);
    work(source.path, known);
  });
  for (const Action& action : plan.actions) {
    const bool settled = action.act != Act::Remove && !open.contains(action.path);
    if (!settled) continue;
    Known known(seen_as(action), action.mtime_ns, modes.of(action), contents.of(action));
    known.changed_ns = changed_after(outcome, action.path, action.changed_ns);
    work(action.path, known);
  }
  if (plan.owns_root) {
    const tree::Seen root{.exists = true, .type = tree::Type::Directory};
    work("", {root, 0, modes.of_root(look)});
  }
}

void for_settled_in_source(const Outcome& outcome, const Settled& work) {
  const auto& [plan, look, tally, before, known_before] = outcome;
  const auto open = unsettled(plan, tally);
  const TimeSteps steps = steps_of(look);
  const ModesAfter modes(outcome);
  const ContentsAfter contents(outcome);
  for_each_source(look, [&](const tree::Entry& source, const tree::Entry* target) {
    if (open.contains(source.path)) return;
    const tree::Entry& other = target == nullptr ? source : *target;
    Known known = as_found(source, other, {steps.target, steps.source});
    known.mode = modes.of(source, target);
    known.contents = contents.of(source, known.seen);
    // Of the way back: the target was not asked, and may have been given other attributes.
    const Known* then = outcome.known_before(source.path);
    if (then != nullptr) known.changed_ns = then->changed_ns;
    work(source.path, known);
  });
}

void for_removed(const Plan& plan, const Tally& tally,
                 const std::function<void(const std::string& path)>& work) {
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    const bool gone = action.act == Act::Remove && !tally.has_failed(i) && !tally.was_kept(i);
    if (gone) work(action.path);
  }
}

NextRecord target_after(const Plan& plan, const Look& look, const Tally& tally,
                        std::optional<BaseRecord> before) {
  auto mounts = mounts_after(look.source, before);
  NextRecord next(std::move(before), look.began_ns);
  next.set_mounts(std::move(mounts));
  const auto before_this = [&](const auto& path, auto type) { return next.mode_of(path, type); };
  const auto known_before = [&](const auto& path) { return next.find(path); };
  for_settled_in_target({plan, look, tally, before_this, known_before},
                        [&](const auto& path, const auto& known) { next.settle(path, known); });
  Paths gone;
  for_removed(plan, tally, [&](const auto& path) { gone.insert(path); });
  const std::int64_t step = steps_of(look).target;
  for (const auto& entry : look.target.entries) {
    if (!gone.contains(entry.path)) next.carry_over(entry, step);
  }
  next.carry_over_below(hidden_in(look));
  return next;
}

NextRecord source_after(const Plan& plan, const Look& look, const Tally& tally,
                        std::optional<BaseRecord> before) {
  auto mounts = mounts_after(look.target, before);
  NextRecord next(std::move(before), look.began_ns);
  next.set_mounts(std::move(mounts));
  const auto before_this = [&](const auto& path, auto type) { return next.mode_of(path, type); };
  const auto known_before = [&](const auto& path) { return next.find(path); };
  for_settled_in_source({plan, look, tally, before_this, known_before},
                        [&](const auto& path, const auto& known) { next.settle(path, known); });
  const std::int64_t step = steps_of(look).source;
  for (const auto& entry : look.source.entries) next.carry_over(entry, step);
  next.carry_over_below(hidden_in(look));
  return next;
}

void count(SyncReport& report, const Action& action) {
  if (!action.set_aside.empty()) {
    report.conflict_copies.push_back({action.path, action.set_aside});
  } else if (action.overrules) {
    ++report.overruled;
  }
  if (action.loses_attributes) ++report.attributes_lost;
  switch (action.act) {
    case Act::MakeDirectory: ++report.directories_made; break;
    case Act::SetAttributes: ++report.attributes_set; break;
    case Act::Remove:
      ++(action.type == tree::Type::Directory ? report.directories_removed : report.files_removed);
      break;
    default:
      ++report.files_sent;
      if (action.target.exists && action.set_aside.empty()) ++report.files_replaced;
      break;
  }
}

void count(SyncReport& report, const Plan& plan, const Tally& tally) {
  report.failed = tally.failures();
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    if (tally.has_failed(i) || tally.was_kept(i)) continue;
    count(report, action);
  }
  for (std::size_t i = 0; i < plan.directories.size(); ++i) {
    const Action& action = plan.directories[i];
    const bool done = action.changes_mode && !tally.has_failed(number_of_directory(plan, i));
    if (done) count(report, action);
  }
}

std::vector<Action> perhaps_done(const Plan& plan, const Tally& tally) {
  std::vector<Action> actions;
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (!tally.has_failed(i) && !tally.was_kept(i)) actions.push_back(plan.actions[i]);
  }
  for (const Action& action : plan.directories) {
    if (action.changes_mode && !action.path.empty()) actions.push_back(action);
  }
  return actions;
}

std::uint64_t count_done(SyncReport& report, const std::vector<Action>& cut, const Plan& now,
                         const tree::Listing& target) {
  if (cut.empty()) return 0;
  std::set<std::pair<std::string_view, Act>> to_do;
  for (const Action& action : now.actions) to_do.emplace(action.path, action.act);
  for (const Action& action : now.directories) {
    if (action.changes_mode) to_do.emplace(action.path, action.act);
  }
  Paths unknown;
  for (const auto& left : now.left) {
    // What is in a directory is known whatever its mode.
    const bool only_mode =
        left.is_directory && (left.why == Left::Conflict || left.why == Left::Kept);
    if (!only_mode) unknown.insert(left.path);
  }
  for (const auto& skip : target.skips) unknown.insert(skip.path);
  Paths there;
  for (const auto& entry : target.entries) there.insert(entry.path);
  std::uint64_t replaced = 0;
  for (const Action& action : cut) {
    const bool as_wanted = there.contains(action.path) != (action.act == Act::Remove);
    if (!as_wanted || to_do.contains({action.path, action.act})) continue;
    if (is_at_or_below(action.path, unknown)) continue;
    count(report, action);
    if (action.target.exists && action.act != Act::SetAttributes) ++replaced;
  }
  return replaced;
}

}  // namespace yonder::sync
