#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/cancel.h"
#include "base/id.h"
#include "base/result.h"
#include "sync/far_list.h"
#include "sync/far_tree.h"
#include "sync/plan.h"
#include "sync/sync.h"
#include "tree/root.h"
#include "tree/rules.h"
#include "tree/scan.h"

namespace yonder::sync {

// What both ends have, seen from here.
struct Look {
  tree::Listing source;
  tree::Listing target;
  tree::RuleSet rules;  // with the ignore files that were found in the source
  // What the .gitignore files of either end name: it is not removed.
  std::vector<tree::RuleSet> ignored;
  std::string unusable_rules;  // an ignore file of the source that could not be added to them
  Unasked unasked;             // what the far side should not have listed; it is not in here
  std::optional<RootLook> source_root;
  bool target_keeps_attributes = true;  // extended ones
  std::optional<RootLook> target_root;
  std::int64_t began_ns = 0;  // by the clock of the source; what changes later is not in here
};

// The two trees of one sync: where they are, what they are called, and what is in them.
class Ends {
 public:
  Ends(const SyncSetup& setup, const SyncRequest& request, CancelToken cancel)
      : setup_(setup),
        request_(request),
        cancel_(std::move(cancel)),
        push_(request.direction == Direction::Push) {}

  // Asks for the far tree, over one stream; a pull also waits for what it is. Where the local one
  // is depends on that.
  Result<std::unique_ptr<FarTree>> open(const std::shared_ptr<link::Link>& link);
  // Both at the same time.
  Result<Look> look(FarTree& far, const BaseRecord* base);
  // What times cannot tell.
  Result<void> answer(FarTree& far, const Plan& plan, PlanInput& input);
  // What was not looked for yet, because it costs a call for each entry.
  Result<void> read_attributes(FarTree& far, const Plan& plan, Look& look);

  DeleteGuard guard(const Look& look) const;
  tree::OpenTree far_wanted() const;
  tree::Root& local() { return *local_; }
  std::string local_path() const { return path_of(local_->state()); }
  std::string remote_path() const { return path_of(far_root_); }
  bool is_single_file() const { return !far_root_.file.empty(); }
  // Of a single file that has another name in the target.
  const std::string& source_name() const { return source_name_; }
  // Names them in the records of this machine.
  Pair pair(bool push) const;
  // The same by the paths as the user gave them, where links lead elsewhere: what was a directory
  // then may have been moved since, and a link been left in its place. Nothing when they are as
  // above, and for a single file.
  std::optional<Pair> pair_as_given(bool push) const;
  // Where the files come from: which machine, which directory.
  std::uint64_t origin() const;
  // Of the attempt that was opened last.
  const tree::PartClaim& claim() const { return claim_; }

 private:
  static std::string path_of(const tree::RootState& state);
  Result<void> find_local();
  // The rules that the user gave, the built-in ones, and what is forbidden.
  Result<tree::RuleSet> rules() const;
  Result<std::string> read_exclude_file() const;
  Result<tree::Listing> scan_here(const tree::RuleSet& rules);
  Result<void> name_single_file(Look& look);
  Result<void> check_apart() const;
  void note_roots(Look& look) const;
  void note_ignored(Look& look) const;
  Result<std::string> name_to_pull() const;
  std::string name_to_push() const;
  struct Asked {
    bool source = true;
    bool target = true;
  };
  Result<void> answer_some(FarTree& far, const std::vector<std::string>& paths, const Asked& asked,
                           PlanInput& input);
  Result<void> read_attributes_of(FarTree& far, std::vector<std::string> paths, bool source,
                                  tree::Listing& listing);
  Result<void> ask_attributes(FarTree& far, const std::vector<std::string>& paths,
                              const std::function<void(tree::Entry&&)>& work);
  Result<void> answer_all(FarTree& far, const std::vector<std::string>& questions,
                          const Asked& asked, PlanInput& input);

  const SyncSetup& setup_;
  const SyncRequest& request_;
  CancelToken cancel_;
  const bool push_;
  std::optional<tree::Root> local_;
  tree::RootState far_root_;
  std::string source_name_;
  std::vector<std::string> forbidden_;     // patterns of secret places below the local tree
  std::vector<std::string> far_precious_;  // Yonder's own places over there
  std::int64_t far_ahead_ms_ = 0;          // of the far clock
  tree::PartClaim claim_{.sync = tree::hash_of_bytes(random_letters(24)).low};
};

}  // namespace yonder::sync
