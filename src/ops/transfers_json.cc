#include "base/text.h"
#include "base/utf8.h"
#include "ops/standing.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

Json parsed_or_null(const std::string& text) {
  if (text.empty()) return {};
  auto json = parse_json(text, "a transfer's note");
  return json ? *std::move(json) : Json();
}

Json time_or_null(std::int64_t ms) {
  return ms == 0 ? Json() : Json(static_cast<double>(ms) / 1000);
}

Json error_of(const TransferInfo& transfer) {
  if (!transfer.state.stale) return parsed_or_null(transfer.note.error);
  const bool began = transfer.note.status == "running";
  return error_json(
      {Errc::Internal,
       began ? "the worker ended without a result" : "the worker ended before it began",
       "it was killed, or the machine was restarted; start the same sync again: it "
       "continues where this one stopped"})["error"];
}

// What the worker last wrote, and how it ended since.
Json progress_of(const TransferInfo& transfer) {
  Json progress = parsed_or_null(transfer.note.progress);
  if (!progress.is_object()) progress = Json{{"phase", transfer.state.status}};
  const std::string& status = transfer.state.status;
  if (status == "unknown") progress["text"] = where_it_is(transfer.note, transfer.state);
  if (!transfer.state.ended()) return progress;
  progress["phase"] = status == "completed" ? "complete" : status;
  // Nothing is left to wait for.
  progress["left_s"] = nullptr;
  progress["bytes_per_s"] = 0;
  if (progress.contains("text")) progress["text"] = progress["phase"];
  return progress;
}

Json complete_of(const Json& result) {
  return result.is_object() && result.contains("complete") ? result["complete"] : Json();
}

}  // namespace

Json to_json(const TransferInfo& transfer) {
  const store::TransferNote& note = transfer.note;
  const Json result = parsed_or_null(note.result);
  Json json{{"task_id", note.id},
            {"status", transfer.state.status},
            {"stale", transfer.state.stale},
            {"complete", complete_of(result)},
            {"direction", note.direction},
            {"sandbox", note.sandbox},
            {"local_path", shown_name(note.local_path)},
            {"remote_path", shown_name(note.remote_path)},
            {"pid", note.worker.pid == 0 ? Json() : Json(note.worker.pid)},
            {"cancel_requested", note.cancel_requested},
            {"created_at", time_or_null(note.created_ms)},
            {"started_at", time_or_null(note.started_ms)},
            {"updated_at", time_or_null(note.updated_ms)},
            {"finished_at", time_or_null(note.finished_ms)},
            {"progress", progress_of(transfer)},
            {"error", error_of(transfer)}};
  json.update(standing_json(transfer.state.status));
  return json;
}

Json to_json(const CheckTransferResponse& response) {
  Json json = to_json(response.transfer);
  json["result"] = parsed_or_null(response.transfer.note.result);
  json["log_file"] = shown_name(response.log_file);
  json["log_tail"] = response.log_tail;
  return json;
}

Json to_json(const CancelTransferResponse& response) {
  Json json{
      {"task_id", response.transfer.note.id},   {"status", response.transfer.state.status},
      {"stale", response.transfer.state.stale}, {"terminated", response.terminated},
      {"force_killed", response.force_killed},  {"already_finished", response.already_finished}};
  if (response.elsewhere) {
    json["error"] =
        error_json({Errc::Unreachable, where_it_is(response.transfer.note, response.transfer.state),
                    "it was asked to end, and does so when it next writes; look "
                    "there"})["error"];
    return json;
  }
  json["error"] =
      response.alive
          ? error_json({Errc::Internal,
                        concat("process ", response.transfer.note.worker.pid, " does not end"),
                        "look at it with ps; it may wait for a disk"})["error"]
          : Json();
  return json;
}

}  // namespace yonder::ops
