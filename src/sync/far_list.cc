#include "sync/far_list.h"

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tree/beneath.h"

namespace yonder::sync {
namespace {

// Judges each directory once, whether it is in the list or not.
class Judge {
 public:
  explicit Judge(const tree::RuleSet& rules) : rules_(rules) {}

  // What excludes a directory, or one above it; null when nothing does.
  const tree::Rule* above(std::string_view directory) {
    if (directory.empty()) return nullptr;
    const auto known = directories_.find(std::string(directory));
    if (known != directories_.end()) return known->second;
    const tree::Rule* rule = above(tree::split_path(directory).parent);
    if (rule == nullptr) rule = alone(directory, true);
    directories_.emplace(directory, rule);
    return rule;
  }

  const tree::Rule* alone(std::string_view path, bool is_directory) const {
    const tree::Verdict verdict = rules_.judge(path, is_directory);
    return verdict.excluded ? verdict.rule : nullptr;
  }

 private:
  const tree::RuleSet& rules_;
  std::unordered_map<std::string, const tree::Rule*> directories_;
};

bool is_below(std::string_view path, std::string_view directory) {
  return !directory.empty() && path.size() > directory.size() && path.starts_with(directory) &&
         path[directory.size()] == '/';
}

}  // namespace

Unasked drop_unasked(tree::Listing& theirs, const tree::RuleSet& rules) {
  Unasked unasked;
  Judge judge(rules);
  std::string last;  // that became a skip
  std::vector<tree::Entry> kept;
  kept.reserve(theirs.entries.size());
  for (tree::Entry& entry : theirs.entries) {
    const bool is_directory = entry.type == tree::Type::Directory;
    const tree::Rule* rule = judge.above(tree::split_path(entry.path).parent);
    if (rule == nullptr) rule = judge.alone(entry.path, is_directory);
    if (rule == nullptr) {
      kept.push_back(std::move(entry));
      continue;
    }
    if (unasked.entries++ == 0) unasked.first = entry.path;
    if (is_below(entry.path, last)) continue;
    last = entry.path;
    theirs.skips.push_back({std::move(entry.path), tree::SkipReason::Excluded,
                            tree::RuleSet::describe(*rule), is_directory});
  }
  theirs.entries = std::move(kept);
  return unasked;
}

}  // namespace yonder::sync
