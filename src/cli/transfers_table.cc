#include "cli/transfers_table.h"

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/one_line.h"
#include "cli/run_words.h"

namespace yonder::cli {
namespace {

Json progress_of(const ops::TransferInfo& transfer) {
  auto json = parse_json(transfer.note.progress, "progress");
  return json && json->is_object() ? *std::move(json) : Json::object();
}

std::string status_of(const ops::TransferInfo& transfer) {
  if (transfer.state.status != "completed") return transfer.state.status;
  const Json json = ops::to_json(transfer);
  return json["complete"] == false ? "incomplete" : "completed";
}

bool is_git(const ops::TransferInfo& transfer) {
  return transfer.note.direction == ops::kGitSync;
}

bool is_push(const ops::TransferInfo& transfer) {
  return transfer.note.direction == "local_to_remote" || is_git(transfer);
}

std::string progress_text(const ops::TransferInfo& transfer) {
  if (transfer.state.stale) return "the worker is gone; sync again to go on";
  if (transfer.state.status == "unknown") return where_it_is(transfer.note, transfer.state);
  if (transfer.state.status == "failed") {
    const auto error = parse_json(transfer.note.error, "error");
    return error && error->is_object() ? error->value("message", "") : "";
  }
  if (transfer.state.status != "running") return "";
  return progress_of(transfer).value("text", "");
}

std::string where_text(const ops::TransferInfo& transfer) {
  return concat(printable(transfer.note.local_path), is_push(transfer) ? " -> " : " <- ",
                one_line(transfer.note.sandbox), ":", printable(transfer.note.remote_path));
}

std::string number_of(const Json& progress, const char* key) {
  const auto found = progress.find(key);
  return found == progress.end() || !found->is_number() ? "-" : found->dump();
}

std::string result_line(const ops::TransferInfo& transfer) {
  const auto parsed = parse_json(transfer.note.result, "result");
  if (!parsed || !parsed->is_object()) return "";
  const Json& result = *parsed;
  if (is_git(transfer)) {
    return concat(result.value("status", ""), ": ", result.value("new_commit", ""), "\n");
  }
  const char* files = is_push(transfer) ? "uploaded_files" : "downloaded_files";
  std::string line = concat(result.value(files, std::uint64_t{0}), " files copied, ",
                            result.value("skipped_files", std::uint64_t{0}), " unchanged, ",
                            result.value("failed_total", std::uint64_t{0}), " failed");
  if (result.contains("conflicts") && !result["conflicts"].empty()) {
    line += concat(", ", result["conflicts"].size(), " in conflict");
  }
  return line + "\n";
}

}  // namespace

Row transfers_header() {
  return {"ID", "STATUS", "AGE", "WHAT", "PROGRESS"};
}

Row transfer_row(const ops::TransferInfo& transfer, std::int64_t now_ms) {
  return {std::to_string(transfer.note.id), status_of(transfer),
          age(transfer.note.created_ms, now_ms), or_dash(one_line(where_text(transfer))),
          or_dash(one_line(progress_text(transfer)))};
}

std::string transfers_screen(const std::vector<ops::TransferInfo>& list, std::size_t width,
                             bool styled, std::int64_t now_ms) {
  if (list.empty()) return "No transfers. `yonder push --background` starts one.\n";
  std::vector<Row> rows;
  for (const auto& transfer : list) rows.push_back(transfer_row(transfer, now_ms));
  return aligned_table(transfers_header(), rows, width, styled);
}

std::vector<Row> transfers_fields(const std::vector<ops::TransferInfo>& list) {
  std::vector<Row> rows;
  for (const auto& transfer : list) {
    const Json progress = progress_of(transfer);
    rows.push_back({std::to_string(transfer.note.id), status_of(transfer), transfer.note.direction,
                    one_line(transfer.note.sandbox), printable(transfer.note.local_path),
                    printable(transfer.note.remote_path), number_of(progress, "files_done"),
                    number_of(progress, "files_total"), number_of(progress, "bytes_done"),
                    number_of(progress, "bytes_total")});
  }
  return rows;
}

Report transfer_report(const ops::CheckTransferResponse& response) {
  const ops::TransferInfo& transfer = response.transfer;
  const std::string status = status_of(transfer);
  Report report{.status = kExitProblems};
  if (status == "completed") report.status = kExitSuccess;
  if (!transfer.state.ended()) report.status = kExitWaitOver;
  report.out = concat("transfer ", transfer.note.id, ": ", status, "\n",
                      one_line(where_text(transfer)), "\n");
  const std::string progress = progress_text(transfer);
  if (!progress.empty()) report.out += one_line(progress) + "\n";
  report.out += result_line(transfer);
  const Json error = ops::to_json(transfer)["error"];
  if (error.is_object()) {
    report.messages.push_back(concat(error.value("message", ""), "; ", error.value("hint", "")));
  }
  report.out += response.log_tail;
  return report;
}

Report cancel_report(const ops::CancelTransferResponse& response) {
  const std::int64_t id = response.transfer.note.id;
  if (response.alive) {
    return {.status = kExitProblems,
            .messages = {concat("transfer ", id, " does not end: process ",
                                response.transfer.note.worker.pid)}};
  }
  std::string what = "cancelled";
  if (response.already_finished) {
    what = concat("had ended before: ", status_of(response.transfer));
  } else if (response.force_killed) {
    what = "cancelled; it had to be killed";
  }
  return {.status = kExitSuccess, .out = concat("transfer ", id, ": ", what, "\n")};
}

}  // namespace yonder::cli
