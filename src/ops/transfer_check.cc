#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "ops/transfers.h"
#include "ops/worker_process.h"
#include "store/store.h"

namespace yonder::ops {
namespace {

constexpr auto kBetweenChecks = std::chrono::milliseconds(100);
constexpr off_t kMostLog = off_t{64} * 1024;

std::string last_lines(const std::string& text, std::size_t lines) {
  std::size_t start = text.size();
  if (start > 0 && text.back() == '\n') --start;
  for (; lines > 0 && start > 0; --lines) {
    const std::size_t end = text.rfind('\n', start - 1);
    if (end == std::string::npos) return text;
    start = end;
  }
  return lines > 0 || start == 0 ? text : text.substr(start + 1);
}

std::string tail_of(const std::string& path, std::size_t lines) {
  const auto file = open_file(path, O_RDONLY);
  if (!file || lines == 0) return "";
  const off_t size = ::lseek(file->get(), 0, SEEK_END);
  std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMostLog)), '\0');
  const ssize_t n =
      ::pread(file->get(), text.data(), text.size(), size - static_cast<off_t>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return clean_text(last_lines(text, lines)).text;
}

Error unknown_transfer(std::int64_t id) {
  return {Errc::NotFound, concat("there is no transfer ", id),
          "list_file_transfer_tasks (yonder transfers) shows those that are known; they are kept "
          "for 30 days"};
}

Result<store::TransferNote> find(Engine& engine, std::int64_t id) {
  TRY_ASSIGN(auto found, engine.store.find_transfer(id));
  if (!found) return unknown_transfer(id);
  return *std::move(found);
}

}  // namespace

Result<TransferInfo> look_at_transfer(Engine& engine, std::int64_t id) {
  TRY_ASSIGN(store::TransferNote note, find(engine, id));
  Sight worker = look_for(note.worker);
  // It may have ended, properly, between the two looks.
  if (worker != Sight::Lives) {
    TRY_ASSIGN(note, find(engine, id));
    worker = look_for(note.worker);
  }
  const TransferState state = judge_transfer(note, worker, wall_clock_ms());
  return TransferInfo{.note = std::move(note), .state = state};
}

Result<CheckTransferResponse> check_transfer(Engine& engine, CallContext& context,
                                             const CheckTransferRequest& request) {
  const Deadline deadline = Deadline::after(request.wait);
  TRY_ASSIGN(TransferInfo info, look_at_transfer(engine, request.id));
  while (!info.state.ended() && !deadline.expired()) {
    if (context.cancel.cancelled() || context.detach.cancelled()) break;
    if (!info.note.progress.empty()) {
      const auto progress = parse_json(info.note.progress, "progress");
      if (progress) context.progress(progress->value("text", ""));
    }
    std::this_thread::sleep_for(std::min<Duration>(kBetweenChecks, deadline.remaining()));
    TRY_ASSIGN(info, look_at_transfer(engine, request.id));
  }
  const std::string log = transfer_log(engine, request.id);
  return CheckTransferResponse{
      .transfer = std::move(info), .log_file = log, .log_tail = tail_of(log, request.last_lines)};
}

Result<std::vector<TransferInfo>> list_transfers(Engine& engine, std::size_t limit) {
  TRY_ASSIGN(const auto notes, engine.store.transfers(limit));
  std::vector<TransferInfo> list;
  for (const auto& note : notes) {
    const bool open = note.status == "queued" || note.status == "running";
    if (!open) {
      list.push_back({.note = note, .state = {.status = note.status}});
      continue;
    }
    auto info = look_at_transfer(engine, note.id);
    if (info) list.push_back(*std::move(info));
  }
  return list;
}

}  // namespace yonder::ops
