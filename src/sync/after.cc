#include "sync/after.h"

#include <functional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "tree/beneath.h"

namespace yonder::sync {
namespace {

// Rules, and what cannot be read, hide things from one sync that the one before has seen.
void keep_what_was_passed_over(BaseRecord& record, const BaseRecord& old, const Look& look) {
  std::unordered_set<std::string_view> hidden;
  for (const auto* listing : {&look.source, &look.target}) {
    for (const auto& skip : listing->skips) hidden.insert(skip.path);
  }
  if (hidden.empty()) return;
  for (const auto& [path, seen] : old.entries()) {
    if (record.find(path) != nullptr) continue;
    std::string_view above = path;
    while (!above.empty() && !hidden.contains(above)) above = tree::split_path(above).parent;
    if (!above.empty()) record.note(path, seen);
  }
}

void for_what_both_have(const Look& look, const std::function<void(const tree::Entry&)>& work) {
  const auto& from = look.source.entries;
  const auto& to = look.target.entries;
  for (std::size_t s = 0, t = 0; s < from.size() && t < to.size();) {
    if (from[s].path == to[t].path) {
      if (from[s].type == to[t].type) work(from[s]);
      ++s;
      ++t;
    } else if (tree::comes_before(from[s].path, to[t].path)) {
      ++s;
    } else {
      ++t;
    }
  }
}

// What is there and was not settled is known as it was before.
BaseRecord with_before(BaseRecord settled, const std::vector<tree::Entry>& there,
                       const std::optional<BaseRecord>& before, const Look& look) {
  if (!before) return settled;
  keep_what_was_passed_over(settled, *before, look);
  for (const auto& entry : there) {
    const tree::Seen* then =
        settled.find(entry.path) == nullptr ? before->find(entry.path) : nullptr;
    if (then != nullptr) settled.note(entry.path, *then);
  }
  return settled;
}

tree::Seen seen_as(const Action& action) {
  return {.exists = true, .type = action.type, .size = action.size, .mtime_ns = action.mtime_ns};
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
    intents += pack_intent(prefix + action.path, seen_as(action));
  }
  return intents;
}

BaseRecord settled_in_target(const Plan& plan, const Look& look, const Tally& tally) {
  BaseRecord settled;
  settled.set_scanned_ns(look.began_ns);
  // Both had it already; by the source's time, which may be the more exact one.
  for_what_both_have(
      look, [&](const tree::Entry& source) { settled.note(source.path, tree::seen_as(source)); });
  for (const Action& action : plan.actions) {
    if (action.act != Act::Remove) settled.note(action.path, seen_as(action));
  }
  for (const auto path : unsettled(plan, tally)) settled.forget(std::string(path));
  return settled;
}

BaseRecord settled_in_source(const Plan& plan, const Look& look, const Tally& tally) {
  BaseRecord settled;
  settled.set_scanned_ns(look.began_ns);
  for (const auto& entry : look.source.entries) settled.note(entry.path, tree::seen_as(entry));
  for (const auto path : unsettled(plan, tally)) settled.forget(std::string(path));
  return settled;
}

BaseRecord target_after(const BaseRecord& settled, const Plan& plan, const Look& look,
                        const Tally& tally, const std::optional<BaseRecord>& before) {
  BaseRecord base = with_before(settled, look.target.entries, before, look);
  forget_removed(base, plan, tally, "");
  if (plan.owns_root) base.note("", {.exists = true, .type = tree::Type::Directory});
  return base;
}

BaseRecord source_after(const BaseRecord& settled, const Look& look,
                        const std::optional<BaseRecord>& before) {
  return with_before(settled, look.source.entries, before, look);
}

BaseRecord with_part(BaseRecord whole, const BaseRecord& settled, const std::string& prefix) {
  // The directories on the way there, so that it is known that they were part of a sync.
  for (std::size_t slash = prefix.find('/'); slash != std::string::npos;
       slash = prefix.find('/', slash + 1)) {
    whole.note(prefix.substr(0, slash), {.exists = true, .type = tree::Type::Directory});
  }
  for (const auto& [path, seen] : settled.entries()) whole.note(prefix + path, seen);
  return whole;
}

void forget_removed(BaseRecord& whole, const Plan& plan, const Tally& tally,
                    const std::string& prefix) {
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    const bool gone = action.act == Act::Remove && !tally.has_failed(i) && !tally.was_kept(i);
    if (gone) whole.forget(prefix + action.path);
  }
}

void count(SyncReport& report, const Action& action) {
  if (!action.set_aside.empty()) {
    report.conflict_copies.push_back({action.path, action.set_aside});
  } else if (action.overrules) {
    ++report.overruled;
  }
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
}

std::vector<Action> perhaps_done(const Plan& plan, const Tally& tally) {
  std::vector<Action> actions;
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (!tally.has_failed(i) && !tally.was_kept(i)) actions.push_back(plan.actions[i]);
  }
  return actions;
}

std::uint64_t count_done(SyncReport& report, const std::vector<Action>& cut, const Plan& now) {
  std::set<std::pair<std::string_view, Act>> left;
  for (const Action& action : now.actions) left.emplace(action.path, action.act);
  std::uint64_t replaced = 0;
  for (const Action& action : cut) {
    if (left.contains({action.path, action.act})) continue;
    count(report, action);
    if (action.target.exists && action.act != Act::SetAttributes) ++replaced;
  }
  return replaced;
}

}  // namespace yonder::sync
