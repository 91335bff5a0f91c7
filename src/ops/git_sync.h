#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "ops/engine.h"
#include "ops/operation.h"
#include "ops/sync.h"

namespace yonder::ops {

// Bring a checkout over there to a commit of a repository here. No hosting service is needed: what
// is missing over there goes through the link.

enum class GitVia {
  Link,    // as one pack of what is missing, through our own link
  Remote,  // over there, by `git fetch` from a remote of its own
};
// Uncommitted changes over there, and untracked files that would be overwritten.
enum class OnDirty { Refuse, Stash, Reset };
// Commits that exist only over there, and would not be on any branch afterwards.
enum class OnDiverged { Refuse, KeepBranch, Reset };

struct GitSyncRequest {
  std::string sandbox;  // empty: the session's active one
  std::string remote_path;
  std::string local_path = ".";
  std::string commit = "HEAD";
  std::string branch;  // empty: by `commit`; see choose_branch()
  GitVia via = GitVia::Link;
  std::string remote = "origin";
  OnDirty on_dirty = OnDirty::Refuse;
  OnDiverged on_diverged = OnDiverged::Refuse;
  std::optional<Duration> timeout;  // nothing: no limit
  bool by_agent = true;             // the settings may restrict agents
  // When it is over, the work goes on in a process of its own. Nothing: however long it takes.
  std::optional<Duration> wait;
  bool background = false;  // so it does at once
};

struct GitSyncResponse {
  std::string status;  // "cloned", "updated" or "up_to_date"; "queued" when it is not done yet
  std::string sandbox;
  std::string remote_path;  // absolute
  std::string old_commit;   // empty: there was none
  std::string new_commit;
  std::string branch;  // empty: a detached HEAD
  GitVia via = GitVia::Link;
  std::vector<std::string> dirty;  // printable paths
  std::string stashed;             // the stash's commit; empty: none
  std::string backup_branch;
  std::vector<std::string> own_commits;  // "1a2b3c4 subject"
  std::uint64_t commits_sent = 0;
  std::uint64_t bytes_sent = 0;
  double duration_s = 0;
  std::uint64_t local_uncommitted = 0;
  std::vector<std::string> warnings;
  std::optional<TransferStarted> transfer;  // it goes on there
};

// Conflict: refused because of what is over there; nothing was changed. After any other error the
// message says where HEAD is now, if that was seen.
Result<GitSyncResponse> git_sync(Engine& engine, CallContext& context,
                                 const GitSyncRequest& request);

Result<GitSyncRequest> parse_git_sync_request(const Json& arguments);
// The arguments that parse_git_sync_request() understands, for a worker.
Json arguments_json(const GitSyncRequest& request);
// These take the words that tools and command lines use.
Result<GitVia> parse_git_via(const std::string& word);
Result<OnDirty> parse_on_dirty(const std::string& word);
const char* word_of(OnDirty choice);
Result<OnDiverged> parse_on_diverged(const std::string& word);
// What cannot be right whatever is over there.
Result<void> check_git_sync_request(const GitSyncRequest& request);
Json to_json(const GitSyncResponse& response);
Operation git_sync_operation();

}  // namespace yonder::ops
