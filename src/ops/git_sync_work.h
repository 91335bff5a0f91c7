#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "ops/engine.h"
#include "ops/git_local.h"
#include "ops/git_sync.h"
#include "ops/git_sync_far.h"
#include "ops/git_sync_report.h"
#include "ops/git_sync_script.h"
#include "ops/patience.h"

namespace yonder::ops {

// One sync, from the first look to the answer.
class GitSync {
 public:
  // `patience`: of a caller who does not wait for ever.
  GitSync(Engine& engine, CallContext& context, const GitSyncRequest& request,
          const Patience* patience = nullptr);

  // What is here is looked at: who goes on later brings this commit, whatever HEAD is then.
  Result<GitSyncRequest> request_for_worker();

  Result<GitSyncResponse> run();

 private:
  Result<void> look_here();

  // Nothing: another process has begun to move it.
  Result<std::optional<GitSyncResponse>> run_once();

  // A move that was begun before comes to its end first: by itself, or by being taken back.
  Result<void> let_it_end();

  // It was brought there by a call before this one, which may have been of the same caller.
  void note_earlier(GitSyncResponse& response) const;

  // What a sync of files may not send does not leave as a commit either.
  Result<void> check_places() const;

  FarScript script(std::string text, const Deadline& deadline) const;

  Result<FarRepository> look(CallContext& context, const Deadline& deadline);

  // Of all that the far side has told of, what is also here.
  Result<std::vector<std::string>> known_commits() const;

  GitSyncResponse respond(const std::vector<FarCommit>& own) const;

  // Whether it was done, and not begun by another meanwhile.
  Result<bool> bring(const std::vector<FarCommit>& own, const std::vector<std::string>& known,
                     GitSyncResponse& response);

  // The objects that are missing over there.
  Result<void> take(const std::vector<std::string>& known, GitApply& apply);

  Result<FarOutcome> run_apply(const FarScript& script);

  void note(const GitApply& apply, const FarOutcome& outcome, GitSyncResponse& response) const;

  // The script could not tell where HEAD is: look once more, also when the call was given up.
  Error seen_after(Error error);

  Engine& engine_;
  CallContext& context_;
  const GitSyncRequest& request_;
  const Patience* const patience_;
  const std::string sandbox_;
  const Deadline deadline_;
  const std::string local_path_;
  const LocalGit git_;
  const Instant began_ = std::chrono::steady_clock::now();
  LocalCommit local_;
  FarRepository far_;
  std::optional<FarRepository> earlier_;  // a move that was waited for
  std::optional<std::string> settled_;    // the commit of one that was taken back
  struct {
    std::uint64_t commits = 0;
    std::uint64_t bytes = 0;
  } sent_;
  std::string said_;  // by git, over there
};

}  // namespace yonder::ops
