#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "ops/engine.h"
#include "ops/operation.h"
#include "ops/sync_progress.h"
#include "sync/so_far.h"
#include "sync/sync.h"

namespace yonder::ops {

// A sync of files between this machine and a sandbox, here or in a process of its own.

// What is larger than this does not keep a caller waiting.
struct InlineLimits {
  std::uint64_t files = 200;
  std::uint64_t bytes = std::uint64_t{64} * 1024 * 1024;
};

struct SyncCall {
  std::string sandbox;  // empty: the session's active one
  sync::SyncRequest what;
  bool background = false;
  // Beyond these it goes on in the background. Nothing: however large, and however long.
  std::optional<InlineLimits> limits;
  std::optional<Duration> wait;
  bool by_agent = true;  // the settings may restrict agents
  // What was done before it was handed over to a worker.
  std::optional<sync::SoFar> so_far;
};

struct TransferStarted {
  std::int64_t id = 0;
  std::int64_t pid = 0;
  std::string log_file;
  bool auto_switched = false;
  std::string why;  // of that
};

struct SyncResponse {
  std::string sandbox;
  sync::SyncRequest asked;                 // with absolute local paths
  std::optional<sync::SyncReport> report;  // nothing: it is not done yet
  std::optional<TransferStarted> transfer;
};

using SyncWatch = std::function<void(const SyncProgress&)>;

Result<SyncResponse> sync_files(Engine& engine, CallContext& context, const SyncCall& call,
                                const SyncWatch& watch);

// What is the same for a sync here and in a worker. It keeps the sync out of secret places, and an
// agent's in those that are allowed.
Result<sync::SyncSetup> sync_setup(Engine& engine, const SandboxSpec& spec, bool by_agent);
// judge_place() with what is set and secret on this machine, for paths whose links are resolved.
using PlaceJudge = std::function<Result<std::vector<std::string>>(const std::string& path)>;
Result<PlaceJudge> place_judge(Engine& engine, bool by_agent);
// Makes the local paths absolute. Says early that a place may not be synced; what counts is what
// the sync finds there when it opens it.
Result<void> prepare(Engine& engine, SyncCall& call);
// From REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES and _BYTES, or YONDER_INLINE_SYNC_MAX_...; Config when
// they are not numbers.
Result<InlineLimits> inline_limits(const std::vector<std::string>& environment);
bool is_too_large(const sync::Counts& counts, const InlineLimits& limits);

// "stop", "keep_remote", "keep_local", "both".
Result<sync::ConflictChoice> parse_conflict_choice(const std::string& word);
const char* word_of(sync::ConflictChoice choice);
Result<SyncCall> parse_sync_call(const Json& arguments, sync::Direction direction);
// The arguments that parse_sync_call() understands, but the paths.
Json options_json(const sync::SyncRequest& request);

std::vector<Operation> sync_operations();

}  // namespace yonder::ops
