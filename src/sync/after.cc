#include "sync/after.h"

#include <set>
#include <string_view>
#include <utility>

namespace yonder::sync {
namespace {

void keep_as_before(BaseRecord& record, const std::optional<BaseRecord>& old,
                    const std::string& path) {
  const tree::Seen* then = old ? old->find(path) : nullptr;
  record.forget(path);
  if (then != nullptr) record.note(path, *then);
}

tree::Seen seen_as(const Action& action) {
  return {.exists = true, .type = action.type, .size = action.size, .mtime_ns = action.mtime_ns};
}

}  // namespace

std::set<std::string_view> unsettled(const Plan& plan, const Tally& tally) {
  std::set<std::string_view> paths;
  for (const auto& left : plan.left) {
    const bool conflict = left.why == Left::Conflict || left.why == Left::Kept;
    if (conflict || left.why == Left::InTheWay) paths.insert(left.path);
  }
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    if (tally.has_failed(i)) paths.insert(plan.actions[i].path);
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

BaseRecord target_after(const Plan& plan, const Look& look, const Tally& tally,
                        const std::optional<BaseRecord>& before) {
  BaseRecord base;
  base.set_scanned_ns(look.began_ns);
  for (const auto& entry : look.target.entries) base.note(entry.path, tree::seen_as(entry));
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    if (tally.has_failed(i)) continue;
    if (action.act == Act::Remove) {
      base.forget(action.path);
    } else {
      base.note(action.path, seen_as(action));
    }
  }
  for (const auto& left : plan.left) {
    if (left.why == Left::Conflict || left.why == Left::Kept) {
      keep_as_before(base, before, left.path);
    }
  }
  if (plan.owns_root) base.note("", {.exists = true, .type = tree::Type::Directory});
  return base;
}

BaseRecord source_after(const Plan& plan, const Look& look, const Tally& tally,
                        const std::optional<BaseRecord>& before) {
  BaseRecord base;
  base.set_scanned_ns(look.began_ns);
  for (const auto& entry : look.source.entries) base.note(entry.path, tree::seen_as(entry));
  for (const auto path : unsettled(plan, tally)) keep_as_before(base, before, std::string(path));
  return base;
}

BaseRecord with_part(BaseRecord whole, const BaseRecord& part, const std::string& prefix,
                     const std::set<std::string_view>& unsettled) {
  // The directories on the way there, so that it is known that they were part of a sync.
  for (std::size_t slash = prefix.find('/'); slash != std::string::npos;
       slash = prefix.find('/', slash + 1)) {
    whole.note(prefix.substr(0, slash), {.exists = true, .type = tree::Type::Directory});
  }
  for (const auto& [path, seen] : part.entries()) {
    if (!path.empty() && !unsettled.contains(path)) whole.note(prefix + path, seen);
  }
  return whole;
}

void forget_removed(BaseRecord& whole, const Plan& plan, const Tally& tally,
                    const std::string& prefix) {
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    const Action& action = plan.actions[i];
    if (action.act == Act::Remove && !tally.has_failed(i)) whole.forget(prefix + action.path);
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
