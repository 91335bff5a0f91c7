#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sync/after.h"
#include "sync/copy.h"
#include "sync/ends.h"
#include "sync/far_tree.h"
#include "sync/so_far.h"
#include "sync/sync.h"

namespace yonder::sync {

// One sync, over however many links.
class Syncing {
 public:
  Syncing(const SyncSetup& setup, const SyncRequest& request, const SyncHooks& hooks)
      : setup_(setup),
        request_(request),
        hooks_(hooks),
        push_(request.direction == Direction::Push),
        ends_(setup, request, hooks.cancel),
        bases_(setup.state_dir + "/syncs") {}

  Result<SyncReport> run();

 private:
  Result<void> run_attempts();
  Result<void> attempt();
  Result<void> attempt_over(const std::shared_ptr<link::Link>& link);
  Result<void> attempt_with(const std::shared_ptr<link::Link>& link, FarTree& far);
  Result<Plan> plan_for(FarTree& far, Look& look, const BaseRecord* base);
  Result<void> judge_removals(Plan& plan, const PlanOptions& options, const Look& look,
                              bool has_record);
  void warn_of_kept(const Plan& plan);
  Result<void> carry_out(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                         const Look& look, std::optional<BaseRecord> before);
  Result<void> copy(const std::shared_ptr<link::Link>& link, FarTree& far, const Plan& plan,
                    const Look& look, Tally& tally);
  std::vector<Ancestor> ancestors(bool push) const;
  std::optional<BaseRecord> load_base(bool push) const;
  Result<void> note_intents(const Plan& plan, bool has_record) const;
  Result<void> save_in_ancestors(bool push, const Plan& plan, const Look& look,
                                 const Tally& tally) const;
  Result<void> save(bool push, NextRecord next, const Plan& plan, const Look& look,
                    const Tally& tally) const;
  void save_bases(const Plan& plan, const Look& look, const Tally& tally,
                  std::optional<BaseRecord> before);
  // Once, however many attempts there are.
  void warn(std::string warning) {
    auto& all = report_.warnings;
    if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(std::move(warning));
  }
  void count_cut(const Plan& now, const Look& look);
  void warn_of(const Unasked& unasked);
  bool worth_another_round(const Tally& tally) const;
  void show(Phase phase, const Tally* tally, const Plan* plan);

  const SyncSetup& setup_;
  const SyncRequest& request_;
  const SyncHooks& hooks_;
  const bool push_;
  Ends ends_;
  BaseStore bases_;
  SyncReport report_;
  std::vector<Action> cut_;  // of an attempt that nobody saw the end of
  bool again_ = false;
  int losses_ = 0;  // of the link
  bool made_root_ = false;
  std::optional<Unchanged> unchanged_;  // by the first plan
  bool judged_ = false;                 // an attempt was allowed to begin
  bool began_without_record_ = false;   // of an earlier sync
  Instant shown_{};
};

}  // namespace yonder::sync
