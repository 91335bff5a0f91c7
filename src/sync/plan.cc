#include "sync/plan.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "base/clean_text.h"
#include "base/text.h"
#include "sync/compare.h"
#include "sync/conflict_name.h"
#include "sync/paths.h"
#include "tree/beneath.h"

namespace yonder::sync {
namespace {

using tree::Entry;
using tree::Seen;
using tree::Type;

constexpr const char* kModesConflict = "its mode was changed at both ends since the last sync";

class Planner {
 public:
  Planner(const PlanInput& input, const PlanOptions& options)
      : input_(input), options_(options), compare_(input, options) {
    for (const auto& skip : input.source.skips) {
      protected_.insert(skip.path);
      if (skip.reason == tree::SkipReason::UnreadableContents) closed_[skip.path] = skip.detail;
    }
    for (const auto& skip : input.target.skips) {
      hold_directories_above(skip.path);
      if (skip.reason == tree::SkipReason::Special) special_there_[skip.path] = skip.detail;
      if (skip.reason == tree::SkipReason::Unreadable) unknown_there_.insert(skip.path);
    }
    find_unmounted();
  }
  Plan run();

 private:
  void leave(LeftOut left, std::uint64_t& count) {
    ++count;
    plan_.left.push_back(std::move(left));
  }
  void keep_theirs(const std::string& path, bool is_directory = false) {
    leave({path, Left::Kept, "kept as it is in the target", is_directory}, plan_.counts.kept);
  }
  void count_skips();
  void hold_directories_above(std::string_view path);
  void find_unmounted();
  bool is_ignored(const Entry& target) const;
  bool must_stay(const Entry& target);
  tree::UserAttributes kept_of(const Entry& source) const {
    return input_.keeps_attributes ? source.attributes : tree::UserAttributes();
  }
  void ask_attributes(const Entry& source, const Entry& target);
  void need_attributes(const Entry& source) {
    if (source.attributes_unread) plan_.attribute_questions.push_back(source.path);
  }
  void next_source(const Entry& source, const Entry* target);
  void only_in_source(const Entry& source);
  void in_both(const Entry& source, const Entry& target);
  void directory_in_both(const Entry& source, const Entry& target);
  ModeChange directory_modes(const BothModes& both);
  void modes_conflict(const Entry& source, const Entry& target);
  void only_in_target(const Entry& target);
  void put(const Entry& source, const Entry* target);
  bool leave_closed(const Entry& source);
  void replace(const Entry& source, const Entry& target);
  void set_attributes(const Entry& source, const Entry& target);
  void plan_removals();
  void plan_directories();
  void plan_root();
  static bool is_below(std::string_view path, std::string_view directory);
  bool below_obstacle(std::string_view path) const { return is_below(path, obstacle_); }
  void in_the_way(const Entry& source, std::string_view what);
  void touch(std::string_view path) { touched_.emplace(tree::split_path(path).parent); }

  const PlanInput& input_;
  const PlanOptions& options_;
  const Comparison compare_;
  Plan plan_;
  Paths protected_;      // the source has it, but not as an entry
  Paths unknown_there_;  // the target has it, and nobody can look at it
  std::unordered_map<std::string_view, std::string_view> closed_;  // its contents cannot be read
  std::unordered_set<std::string> touched_;  // directories in which something changes
  std::unordered_map<std::string_view, std::string_view> special_there_;
  std::string obstacle_;        // what is below it cannot be put
  std::string kept_directory_;  // of the target, in the way of something else: it stays whole
  struct First {
    std::string path;
    std::optional<std::size_t> action;  // that makes it what it should be
  };
  void note_twin(const Entry& source, std::optional<std::size_t> action) {
    if (source.twins != 0 && options_.twins)
      first_twin_.try_emplace(source.twins, First{source.path, action});
  }
  std::map<std::uint64_t, First> first_twin_;
  std::vector<const Entry*> extras_;
  struct DirectoryMode {  // of those that both ends have
    std::uint32_t there = 0;
    ModeChange change = ModeChange::None;
  };
  static void set_mode(Action& action, const DirectoryMode& mode);
  std::unordered_map<std::string_view, DirectoryMode> directory_modes_;
  Paths unmounted_;                       // of the source; see Plan
  std::unordered_set<std::string> hold_;  // directories of the target in which something stays
};

void Planner::hold_directories_above(std::string_view path) {
  for (path = tree::split_path(path).parent; !path.empty(); path = tree::split_path(path).parent) {
    if (!hold_.emplace(path).second) return;
  }
}

void Planner::find_unmounted() {
  if (input_.base == nullptr || !input_.source_root) return;
  const auto& now = input_.source.mounts;
  for (auto& path : input_.base->mounts()) {
    const bool looked_at = !is_at_or_below(path, protected_);
    if (looked_at && std::find(now.begin(), now.end(), path) == now.end()) {
      plan_.unmounted.push_back(std::move(path));
    }
  }
  for (const auto& path : plan_.unmounted) unmounted_.insert(path);
}

void Planner::count_skips() {
  for (const auto& skip : input_.source.skips) {
    if (skip.reason == tree::SkipReason::UnreadableContents) continue;  // which may not be needed
    LeftOut left{skip.path, Left::Unreadable, skip.detail, skip.is_directory};
    if (skip.reason == tree::SkipReason::Excluded) {
      left.why = Left::Excluded;
      leave(std::move(left), plan_.counts.excluded);
    } else if (skip.reason == tree::SkipReason::Special) {
      left.why = Left::Special;
      leave(std::move(left), plan_.counts.special);
    } else {
      leave(std::move(left), plan_.counts.unreadable);
    }
  }
}

bool Planner::is_below(std::string_view path, std::string_view directory) {
  return !directory.empty() && path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

void Planner::in_the_way(const Entry& source, std::string_view what) {
  if (source.type == Type::Directory) obstacle_ = source.path;
  leave({source.path, Left::InTheWay, concat("in its place the target has ", what)},
        plan_.counts.in_the_way);
}

// Of what stays as it is.
void Planner::ask_attributes(const Entry& source, const Entry& target) {
  if (!input_.keeps_attributes) return;
  if (compare_.may_have_other_attributes(source)) return need_attributes(source);
  if (!source.attributes.empty() && target.attributes_unread) {
    plan_.target_attribute_questions.push_back(target.path);
  }
}

void Planner::put(const Entry& source, const Entry* target) {
  need_attributes(source);
  Action action{.path = source.path,
                .type = source.type,
                .mode = source.mode,
                .mtime_ns = source.mtime_ns,
                .size = source.size,
                .link_target = source.target,
                .target = target != nullptr ? tree::seen_as(*target) : Seen(),
                .attributes = kept_of(source),
                .loses_attributes =
                    source.has_more || (!source.attributes.empty() && !input_.keeps_attributes),
                .changed_ns = source.changed_ns};
  const bool files = source.type == Type::File && target != nullptr && target->type == Type::File;
  if (files) action.target_mode = target->mode;
  switch (source.type) {
    case Type::Directory: action.act = Act::MakeDirectory; break;
    case Type::Link: action.act = Act::PutLink; break;
    default: action.act = Act::PutFile; break;
  }
  const auto first = first_twin_.find(source.twins);
  if (source.twins != 0 && options_.twins && first != first_twin_.end()) {
    action.act = Act::PutTwin;
    action.twin_of = first->second.path;
    action.twin_action = first->second.action;
  }
  note_twin(source, plan_.actions.size());
  touch(source.path);
  if (action.act == Act::PutFile) plan_.counts.bytes += source.size;
  plan_.actions.push_back(std::move(action));
}

bool Planner::leave_closed(const Entry& source) {
  const auto closed = closed_.find(source.path);
  if (closed == closed_.end()) return false;
  leave({source.path, Left::Unreadable, std::string(closed->second)}, plan_.counts.unreadable);
  return true;
}

void Planner::only_in_source(const Entry& source) {
  const auto special = special_there_.find(source.path);
  if (special != special_there_.end()) return in_the_way(source, special->second);
  if (is_at_or_below(source.path, unknown_there_)) {
    return in_the_way(source, "what cannot be read");
  }
  if (leave_closed(source)) return;
  const bool is_directory = source.type == Type::Directory;
  ++(is_directory ? plan_.counts.create_directories : plan_.counts.create_files);
  if (is_directory) touched_.insert(source.path);
  put(source, nullptr);
}

void Planner::set_attributes(const Entry& source, const Entry& target) {
  ++plan_.counts.update_attributes;
  if (source.twins != 0 && first_twin_.contains(source.twins)) {
    return put(source, &target);  // another name for what has them already
  }
  need_attributes(source);
  note_twin(source, plan_.actions.size());
  touch(source.path);  // a file with other names is copied for it
  const ModeChange modes = compare_.of_file_modes(source, target);
  const bool keeps = modes == ModeChange::KeepTarget;
  plan_.actions.push_back({.act = Act::SetAttributes,
                           .path = source.path,
                           .type = source.type,
                           .mode = keeps ? target.mode : source.mode,
                           .mtime_ns = source.mtime_ns,
                           .size = source.size,
                           .target = tree::seen_as(target),
                           .target_mode = target.mode,
                           .overrules = modes == ModeChange::Overrule,
                           .attributes = kept_of(source),
                           .keeps_mode = keeps,
                           .changed_ns = source.changed_ns});
}

// Contents are the same.
void Planner::modes_conflict(const Entry& source, const Entry& target) {
  if (options_.on_conflict == OnConflict::KeepTarget) return keep_theirs(source.path);
  if (options_.on_conflict != OnConflict::Both) {
    return leave({source.path, Left::Conflict, kModesConflict}, plan_.counts.conflicts);
  }
  if (leave_closed(source)) return;
  ++plan_.counts.update_files;
  put(source, &target);
  plan_.actions.back().set_aside = conflict_name(source.path, options_.conflict_ending);
}

// Of one that is in both. What is in conflict is left.
ModeChange Planner::directory_modes(const BothModes& both) {
  const ModeChange change = compare_.of_modes(both);
  if (change != ModeChange::Conflict) return change;
  // The root has no path.
  const std::string path = both.path.empty() ? "." : std::string(both.path);
  if (options_.on_conflict == OnConflict::Stop) {
    leave({path, Left::Conflict, kModesConflict, true}, plan_.counts.conflicts);
  } else {
    keep_theirs(path, true);
  }
  return change;
}

void Planner::set_mode(Action& action, const DirectoryMode& mode) {
  action.changes_mode = takes_source(mode.change);
  action.overrules = mode.change == ModeChange::Overrule;
  action.keeps_mode = !action.changes_mode;
  if (action.keeps_mode) action.mode = mode.there;
  if (action.changes_mode) action.target_mode = mode.there;
}

void Planner::directory_in_both(const Entry& source, const Entry& target) {
  // One that nobody can read here is not to be closed over there.
  const bool closed = protected_.contains(source.path);
  const ModeChange modes = closed
                               ? ModeChange::None
                               : directory_modes({source.path, Type::Directory, source.mode,
                                                  target.mode, input_.begun.contains(source.path)});
  ask_attributes(source, target);
  if (takes_source(modes)) {
    ++plan_.counts.update_attributes;
  } else if (modes != ModeChange::Conflict) {
    ++plan_.counts.unchanged;
    ++plan_.counts.unchanged_directories;
  }
  directory_modes_[source.path] = {target.mode, modes};
  const bool right = !takes_source(modes) && compare_.same_time(source.mtime_ns, target.mtime_ns) &&
                     compare_.same_attributes(source, target);
  if (!right) touched_.insert(source.path);
}

// Contents differ.
void Planner::replace(const Entry& source, const Entry& target) {
  if (compare_.wants_contents(target)) return plan_.target_questions.push_back(target.path);
  const bool newer = compare_.is_newer_there(source, target);
  const bool changed = newer || compare_.changed_by_others(target);
  const bool files = source.type == Type::File && target.type == Type::File;
  const ModeChange modes = files ? compare_.of_file_modes(source, target) : ModeChange::None;
  const bool stolen = changed || modes == ModeChange::Conflict;
  const bool keep = stolen && (options_.on_conflict == OnConflict::Stop ||
                               options_.on_conflict == OnConflict::KeepTarget);
  if (input_.base == nullptr) plan_.without_record = true;
  if (keep) {
    if (options_.on_conflict == OnConflict::KeepTarget) return keep_theirs(source.path);
    const bool known = input_.base != nullptr && input_.base->find(source.path) != nullptr;
    const char* why = newer      ? "the target's is newer, and no earlier sync is known"
                      : !changed ? kModesConflict
                      : known    ? "the target was changed since the last sync"
                                 : "the target has one that no sync has put there";
    return leave({source.path, Left::Conflict, why}, plan_.counts.conflicts);
  }
  if (leave_closed(source)) return;
  ++plan_.counts.update_files;
  put(source, &target);
  Action& action = plan_.actions.back();
  action.overrules = stolen || modes == ModeChange::Overrule;
  if (modes == ModeChange::KeepTarget && !stolen && action.act == Act::PutFile) {
    action.mode = target.mode;
    action.keeps_mode = true;
  }
  if (stolen && options_.on_conflict == OnConflict::Both) {
    action.set_aside = conflict_name(source.path, options_.conflict_ending);
  }
}

void Planner::in_both(const Entry& source, const Entry& target) {
  if (source.type == Type::Directory && target.type == Type::Directory) {
    return directory_in_both(source, target);
  }
  if (source.type == Type::Directory || target.type == Type::Directory) {
    if (target.type == Type::Directory) kept_directory_ = target.path;
    return in_the_way(source, tree::name_of(target.type));
  }
  if (source.type == Type::File && target.type == Type::File) ask_attributes(source, target);
  switch (compare_.of(source, target)) {
    case Compared::Same:
      note_twin(source, std::nullopt);
      ++plan_.counts.unchanged;
      break;
    case Compared::OnlyAttributes: set_attributes(source, target); break;
    case Compared::ModesConflict: modes_conflict(source, target); break;
    case Compared::Differs: replace(source, target); break;
    case Compared::Unclear:
      plan_.questions.push_back(source.path);
      ++plan_.counts.unchanged;
      break;
  }
}

bool Planner::is_ignored(const Entry& target) const {
  if (input_.ignored == nullptr) return false;
  const bool is_directory = target.type == Type::Directory;
  return std::any_of(input_.ignored->begin(), input_.ignored->end(), [&](const auto& rules) {
    return rules.judge_with_parents(target.path, is_directory).excluded;
  });
}

bool Planner::must_stay(const Entry& target) {
  if (!options_.delete_extras || is_conflict_copy(target.path)) return true;
  if (is_at_or_below(target.path, protected_) || is_below(target.path, kept_directory_))
    return true;
  if (unmounted_.contains("") || is_at_or_below(target.path, unmounted_)) return true;
  const bool is_directory = target.type == Type::Directory;
  if (input_.rules != nullptr &&
      input_.rules->judge_with_parents(target.path, is_directory).excluded) {
    return true;
  }
  if (!is_ignored(target)) return false;
  ++plan_.counts.ignored;
  return true;
}

void Planner::only_in_target(const Entry& target) {
  const bool is_directory = target.type == Type::Directory;
  const auto& mounts = input_.target.mounts;
  const bool is_mounted = std::find(mounts.begin(), mounts.end(), target.path) != mounts.end();
  if (options_.delete_extras && is_mounted && !is_below(target.path, kept_directory_)) {
    kept_directory_ = target.path;
    leave({target.path, Left::Special, "a mounted file system, which is not emptied", true},
          plan_.counts.special);
  }
  if (must_stay(target) || target.path == kept_directory_) {
    ++plan_.counts.extras;
    hold_directories_above(target.path);
    return;
  }
  // Only what was there at the last sync can have been changed since.
  const bool known = input_.base != nullptr && input_.base->find(target.path) != nullptr;
  if (!is_directory && known && compare_.wants_contents(target)) {
    return plan_.target_questions.push_back(target.path);
  }
  if (!is_directory && known && compare_.changed_by_others(target) &&
      options_.on_conflict != OnConflict::TakeSource) {
    if (options_.on_conflict != OnConflict::Stop) return keep_theirs(target.path);
    return leave({target.path, Left::Conflict, "to be removed, but changed since the last sync"},
                 plan_.counts.conflicts);
  }
  extras_.push_back(&target);
}

// The deepest first.
void Planner::plan_removals() {
  for (auto it = extras_.rbegin(); it != extras_.rend(); ++it) {
    const Entry& extra = **it;
    const bool is_directory = extra.type == Type::Directory;
    if (is_directory && hold_.contains(extra.path)) {
      ++plan_.counts.extras;
      continue;
    }
    ++(is_directory ? plan_.counts.remove_directories : plan_.counts.remove_files);
    touch(extra.path);
    plan_.actions.push_back({.act = Act::Remove,
                             .path = extra.path,
                             .type = extra.type,
                             .size = extra.size,
                             .target = tree::seen_as(extra)});
  }
}

void Planner::plan_directories() {
  const auto& entries = input_.source.entries;
  for (auto it = entries.rbegin(); it != entries.rend(); ++it) {
    if (it->type != Type::Directory || !touched_.contains(it->path)) continue;
    if (below_obstacle(it->path) || it->path == obstacle_) continue;
    // One that nobody can read here is not to be closed over there.
    if (protected_.contains(it->path)) continue;
    need_attributes(*it);
    plan_.directories.push_back({.act = Act::SetAttributes,
                                 .path = it->path,
                                 .type = Type::Directory,
                                 .mode = it->mode,
                                 .mtime_ns = it->mtime_ns,
                                 .attributes = kept_of(*it)});
    const auto modes = directory_modes_.find(it->path);
    if (modes != directory_modes_.end()) set_mode(plan_.directories.back(), modes->second);
  }
}

// An entry like others where a sync has made it. Any other is the user's own place: nobody wants
// /tmp or a home directory to get the mode of what is put there.
void Planner::plan_root() {
  if (!input_.source_root) return;
  const RootLook& source = *input_.source_root;
  plan_.makes_root = !input_.target_root;
  plan_.owns_root = plan_.makes_root || input_.made_root ||
                    (input_.base != nullptr && input_.base->find("") != nullptr);
  if (!plan_.owns_root) return;
  const Action finish{.act = Act::SetAttributes,
                      .type = Type::Directory,
                      .mode = source.mode,
                      .mtime_ns = source.mtime_ns};
  if (plan_.makes_root) return plan_.directories.push_back(finish);
  const RootLook& target = *input_.target_root;
  const ModeChange modes = directory_modes({"", Type::Directory, source.mode, target.mode});
  const bool right = !touched_.contains("") && !takes_source(modes) &&
                     compare_.same_time(source.mtime_ns, target.mtime_ns);
  if (takes_source(modes)) ++plan_.counts.update_attributes;
  if (right) return;
  plan_.directories.push_back(finish);
  set_mode(plan_.directories.back(), {target.mode, modes});
}

void Planner::next_source(const Entry& source, const Entry* target) {
  if (below_obstacle(source.path)) {
    leave({source.path, Left::InTheWay, concat("'", printable(obstacle_), "' is in the way")},
          plan_.counts.in_the_way);
  } else if (target == nullptr) {
    only_in_source(source);
  } else {
    in_both(source, *target);
  }
}

Plan Planner::run() {
  count_skips();
  const auto& from = input_.source.entries;
  const auto& to = input_.target.entries;
  std::size_t s = 0;
  std::size_t t = 0;
  while (s < from.size() || t < to.size()) {
    if (s < from.size() && t < to.size() && from[s].path == to[t].path) {
      next_source(from[s++], &to[t++]);
    } else if (t == to.size() ||
               (s < from.size() && tree::comes_before(from[s].path, to[t].path))) {
      next_source(from[s++], nullptr);
    } else {
      only_in_target(to[t++]);
    }
  }
  plan_removals();
  plan_directories();
  plan_root();
  return std::move(plan_);
}

}  // namespace

bool is_conflict_copy(std::string_view path) {
  constexpr std::string_view kPattern = "00000000T000000Z";
  const std::size_t at = path.rfind(kConflictMark);
  if (at == std::string_view::npos) return false;
  std::string stamp(path.substr(at + kConflictMark.size()));
  for (char& c : stamp) c = c >= '0' && c <= '9' ? '0' : c;
  return stamp == kPattern;
}

void leave_extras(Plan& plan) {
  std::erase_if(plan.actions, [](const Action& action) { return action.act == Act::Remove; });
  plan.counts.extras += plan.counts.removals();
  plan.counts.remove_files = plan.counts.remove_directories = 0;
}

Plan make_plan(const PlanInput& input, const PlanOptions& options) {
  return Planner(input, options).run();
}

}  // namespace yonder::sync
