#include <unistd.h>

#include "base/base64.h"
#include "base/file.h"
#include "base/text.h"
#include "ops/transfers.h"
#include "ops/worker_process.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kMostKept = 200;
constexpr std::int64_t kKeptMs = std::int64_t{30} * 24 * 3600 * 1000;

std::string log_directory(const Engine& engine) {
  return engine.state_directory + "/transfers";
}

// Whoever begins a new one clears away the old ones. Nobody is harmed when that fails.
void collect(Engine& engine, std::int64_t now_ms) {
  const auto old = engine.store.old_transfers(now_ms - kKeptMs, kMostKept);
  if (!old) return;
  for (const std::int64_t id : *old) {
    const auto found = look_at_transfer(engine, id);
    if (!found) continue;
    // Whose worker cannot be seen, and has not been heard of for so long, has none.
    const bool silent = found->state.status == "unknown" && found->state.silent_ms > kKeptMs;
    if (!found->state.ended() && !silent) continue;
    if (engine.store.forget_transfer(id)) ::unlink(transfer_log(engine, id).c_str());
  }
}

store::TransferNote note_of(const SyncCall& call, std::int64_t now_ms) {
  Json options = options_json(call.what);
  options["by_agent"] = call.by_agent;
  if (call.so_far) options["so_far"] = to_base64(sync::pack(*call.so_far));
  const bool push = call.what.direction == sync::Direction::Push;
  return {.direction = push ? "local_to_remote" : "remote_to_local",
          .sandbox = call.sandbox,
          .local_path = call.what.local_path,
          .remote_path = call.what.remote_path,
          .options = dump_json(options),
          .status = "queued",
          .created_ms = now_ms};
}

store::TransferNote note_of(const GitSyncRequest& request, std::int64_t now_ms) {
  Json options = arguments_json(request);
  options["by_agent"] = request.by_agent;
  return {.direction = std::string(kGitSync),
          .sandbox = request.sandbox,
          .local_path = request.local_path,
          .remote_path = request.remote_path,
          .options = dump_json(options),
          .status = "queued",
          .created_ms = now_ms};
}

Result<TransferStarted> start(Engine& engine, const store::TransferNote& note) {
  TRY(make_directories(log_directory(engine)));
  collect(engine, note.created_ms);
  TRY_ASSIGN(const std::int64_t id, engine.store.add_transfer(note));
  const std::string log = transfer_log(engine, id);
  const auto worker =
      start_worker({.argv = {engine.program, "transfer-worker", "--task", std::to_string(id)},
                    .environment = engine.environment,
                    .input = engine.secret_variables,
                    .log_file = log});
  if (!worker) {
    const Json error = error_json(worker.error())["error"];
    TRY(engine.store.end_transfer(
        id, {.status = "failed", .error = dump_json(error), .at_ms = wall_clock_ms()}));
    return worker.error();
  }
  // It runs, and will say itself who it is: not to know it yet is no reason to lose its number.
  [[maybe_unused]] const auto noted = engine.store.transfer_has_worker(id, *worker);
  return TransferStarted{.id = id, .pid = worker->pid, .log_file = log};
}

}  // namespace

std::string transfer_log(const Engine& engine, std::int64_t id) {
  return concat(log_directory(engine), "/transfer-", id, ".log");
}

Result<TransferStarted> start_transfer(Engine& engine, const SyncCall& call) {
  return start(engine, note_of(call, wall_clock_ms()));
}

Result<TransferStarted> start_transfer(Engine& engine, const GitSyncRequest& request) {
  return start(engine, note_of(request, wall_clock_ms()));
}

}  // namespace yonder::ops
