#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "ops/engine.h"
#include "ops/git_sync.h"
#include "ops/standing.h"
#include "ops/sync.h"
#include "ops/worker_process.h"
#include "store/transfer_note.h"

namespace yonder::ops {

// Syncs, of files and of git checkouts, that go on in processes of their own, which outlive whoever
// began them. What is true about one is its row in the store together with its process.

// `call` is prepared, and its sandbox is named.
Result<TransferStarted> start_transfer(Engine& engine, const SyncCall& call);
// `request` names its sandbox, an absolute local path and a commit by its id.
Result<TransferStarted> start_transfer(Engine& engine, const GitSyncRequest& request);
inline constexpr std::string_view kGitSync = "git_sync";  // the direction of such a transfer
std::string transfer_log(const Engine& engine, std::int64_t id);

// What the worker's process does. Gives its exit status.
int work_on_transfer(Engine& engine, std::int64_t id, const CancelToken& cancel);

// Pure: what a row means, given what is seen of its process.
struct TransferState {
  // As in the row, but "failed" when the worker is gone, and "unknown" when it cannot be seen from
  // here.
  std::string status;
  bool stale = false;          // failed, for that reason
  std::int64_t silent_ms = 0;  // of "unknown": since the last sign of life
  bool ended() const { return is_final(status); }
};
TransferState judge_transfer(const store::TransferNote& note, Sight worker, std::int64_t now_ms);
// What is known of an "unknown" one, in words.
std::string where_it_is(const store::TransferNote& note, const TransferState& state);

struct TransferInfo {
  store::TransferNote note;
  TransferState state;
};
Result<TransferInfo> look_at_transfer(Engine& engine, std::int64_t id);

struct CheckTransferRequest {
  std::int64_t id = 0;
  std::size_t last_lines = 50;
  Duration wait{};
};
struct CheckTransferResponse {
  TransferInfo transfer;
  std::string log_file;
  std::string log_tail;
};
Result<CheckTransferResponse> check_transfer(Engine& engine, CallContext& context,
                                             const CheckTransferRequest& request);

struct CancelTransferResponse {
  TransferInfo transfer;
  bool terminated = false;        // it was asked to end, and did
  bool force_killed = false;      // it had to be killed
  bool already_finished = false;  // before we asked
  bool alive = false;             // still, in spite of everything
  bool elsewhere = false;         // it was asked to end, but cannot be seen from here
};
Result<CancelTransferResponse> cancel_transfer(Engine& engine, CallContext& context,
                                               std::int64_t id, Duration force_kill_after);

Result<std::vector<TransferInfo>> list_transfers(Engine& engine, std::size_t limit);

Json to_json(const TransferInfo& transfer);
Json to_json(const CheckTransferResponse& response);
Json to_json(const CancelTransferResponse& response);
std::vector<Operation> transfer_operations();

}  // namespace yonder::ops
