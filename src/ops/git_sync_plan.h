#pragma once

#include <string>
#include <vector>

#include "ops/git_local.h"
#include "ops/git_sync.h"
#include "ops/git_sync_report.h"
#include "ops/git_sync_script.h"

namespace yonder::ops {

// Pure: what to do about what was seen at both ends, or why not to do it.

// Whether there is something over there that can be brought to the commit at all.
Result<void> check_far(const GitSyncRequest& request, const LocalCommit& local,
                       const FarRepository& far);

// Of a move that is going on, or that has been left half done. Conflict: it cannot be waited for,
// or taken back.
Result<void> check_moving(const FarRepository& far);

// Of the far side's history, what does not exist here. `known`: what does.
std::vector<FarCommit> own_commits(const FarRepository& far, const std::vector<std::string>& known);

// Conflict when the request does not allow to touch what is there; the message lists it.
Result<void> check_losses(const GitSyncRequest& request, const LocalCommit& local,
                          const FarRepository& far, const std::vector<FarCommit>& own);

bool is_up_to_date(const LocalCommit& local, const FarRepository& far);

// `date`: "2031-05-14". `status` and `transport` are the caller's to fill in.
GitApply plan_apply(const GitSyncRequest& request, const LocalCommit& local,
                    const FarRepository& far, const std::vector<FarCommit>& own,
                    const std::string& date);

// Why it did not come to pass, as the far side's own script tells it. `said`: git's own words.
Error far_failure(const GitSyncRequest& request, const GitApply& apply, const FarOutcome& outcome,
                  const std::string& said);

// What else to know before it begins.
std::vector<std::string> warnings_of(const GitSyncRequest& request, const LocalCommit& local);

// "on branch main at 1a2b3c4d5e"
std::string where_head_is(const std::string& head, const std::string& ref);
// "a, b and 3 more"
std::string some_paths(const std::vector<std::string>& raw);
// "1a2b3c4d5e subject", at most ten, and how many more.
std::vector<std::string> commit_lines(const std::vector<FarCommit>& commits);

}  // namespace yonder::ops
