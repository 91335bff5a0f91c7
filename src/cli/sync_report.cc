#include "cli/sync_report.h"

#include <algorithm>
#include <array>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/one_line.h"
#include "cli/run_words.h"
#include "ops/sync_json.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMostShown = 20;

std::string in_options(std::string text) {
  constexpr std::array<std::array<std::string_view, 2>, 13> kWords{
      {{"confirm_delete=", "--confirm-delete "},
       {"confirm_delete is", "--confirm-delete is"},
       {"local_path", "LOCAL"},
       {"remote_path", "REMOTE"},
       {"delete_ignored=true", "--delete-ignored"},
       {"delete_ignored", "--delete-ignored"},
       {"trash is false", "--no-trash"},
       {"delete_extras", "--delete"},
       {"dry_run", "--dry-run"},
       {"excludes: [\"", "--exclude '"},
       {"\"] brings", "' brings"},
       {"exclude_file", "--exclude-from"},
       {"list_file_transfer_tasks (yonder transfers)", "`yonder transfers`"}}};
  for (const auto& [from, to] : kWords) {
    for (std::size_t at = text.find(from); at != std::string::npos;
         at = text.find(from, at + to.size())) {
      text.replace(at, from.size(), to);
    }
  }
  return text;
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
  return concat(count, " ", count == 1 ? one : many);
}

std::string done_line(const ops::SyncResponse& response) {
  const sync::SyncReport& report = *response.report;
  const bool push = response.asked.direction == sync::Direction::Push;
  const std::string target =
      push ? concat(response.sandbox, ":", report.remote_path) : report.local_path;
  std::string line = concat(target, ": ", counted(report.files_sent, "file", "files"),
                            push ? " sent" : " fetched");
  // Of what failed, some may have travelled.
  const std::string bytes =
      report.failed.empty() ? concat(human_bytes(report.bytes_sent), ", ") : std::string();
  if (report.bytes_sent > 0) {
    line += concat(" (", bytes, human_bytes(report.bytes_on_wire), " over the link)");
  }
  const auto removed = report.files_removed + report.directories_removed;
  if (removed > 0) line += concat(", ", removed, " removed");
  if (report.attributes_set > 0) line += concat(", ", report.attributes_set, " modes or times set");
  const auto& counts = report.plan.counts;
  line += concat(", ", counts.unchanged - counts.unchanged_directories, " unchanged, in ",
                 lasted(to_seconds(report.duration)));
  return line;
}

std::string plan_text(const sync::SyncReport& report, bool push) {
  std::string text = report.plan.makes_root ? "create ./\n" : "";
  for (const auto& action : report.plan.actions) {
    const char* what = action.target.exists ? "update " : "create ";
    if (action.act == sync::Act::Remove) what = "delete ";
    if (action.act == sync::Act::SetAttributes) what = "touch  ";
    text += concat(what, printable(action.path), action.type == tree::Type::Directory ? "/" : "",
                   action.act == sync::Act::PutFile ? concat("  ", human_bytes(action.size)) : "",
                   action.set_aside.empty()
                       ? ""
                       : concat("  (the target's becomes ", printable(action.set_aside), ")"),
                   "\n");
  }
  for (const auto& directory : report.plan.directories) {
    if (!directory.changes_mode) continue;
    text += concat("touch  ", directory.path.empty() ? "." : printable(directory.path), "/\n");
  }
  const auto& counts = report.plan.counts;
  return concat(text, push ? "would send " : "would fetch ",
                counted(counts.files(), "file", "files"), " (", human_bytes(counts.bytes),
                ") and remove ", counts.removals(), "; ",
                counts.unchanged - counts.unchanged_directories, " unchanged\n");
}

std::string examples_of(const ops::LeftOutGroup& group) {
  std::string text = join(group.examples, ", ");
  if (group.count > group.examples.size()) text += ", ...";
  return text;
}

std::string left_out_note(const ops::LeftOutGroup& group) {
  const std::string hint = in_options(group.hint);
  const char* by = group.why == "unreadable" ? " that cannot be read, " : " by ";
  return concat("left out: ", group.count, by, group.rule, ": ", examples_of(group),
                hint.empty() ? "" : concat(" (", hint, ")"));
}

void add_left_out(const sync::SyncReport& report, bool quiet, const std::vector<std::string>& told,
                  Report& out) {
  for (const auto& group : ops::group_left_out(report.plan.left)) {
    const bool kept = group.why == "kept";
    const bool harmless = kept || group.why == "excluded" || group.why == "special";
    if (quiet && harmless) continue;
    if (kept) {
      out.messages.push_back(
          concat(counted(group.count, "file", "files"), " ", group.rule, ": ", examples_of(group)));
      continue;
    }
    std::string note = left_out_note(group);
    const bool known = group.by_default && std::find(told.begin(), told.end(), note) != told.end();
    if (!known) out.messages.push_back(std::move(note));
  }
}

void add_conflicts(const sync::SyncReport& report, Report& out) {
  std::size_t conflicts = 0;
  for (const auto& left : report.plan.left) {
    if (left.why != sync::Left::Conflict || conflicts++ >= kMostShown) continue;
    out.messages.push_back(concat("conflict: ", printable(left.path), ": ", left.detail));
  }
  if (conflicts > 0) {
    out.messages.push_back(concat(counted(conflicts, "conflict", "conflicts"),
                                  ": --on-conflict keep_local, keep_remote or both decides"));
  }
  std::size_t shown = 0;
  for (const auto& copy : report.conflict_copies) {
    if (shown++ == kMostShown) break;
    out.messages.push_back(
        concat("conflict: ", printable(copy.path), ": the target's is now ", printable(copy.copy)));
  }
}

void add_trouble(const ops::SyncResponse& response, Report& out) {
  const sync::SyncReport& report = *response.report;
  add_conflicts(report, out);
  std::size_t shown = 0;
  for (const auto& failed : report.failed) {
    if (shown++ == kMostShown) break;
    const std::string hint = ops::hint_for(failed);
    out.messages.push_back(
        concat("failed ", failed.over_there ? concat("on ", response.sandbox) : "here", ": ",
               printable(failed.path), ": ", failed.message, hint.empty() ? "" : "; ", hint));
  }
  if (!report.failed.empty()) {
    out.messages.push_back(concat(counted(report.failed.size(), "entry", "entries"),
                                  " failed; the same command tries them again"));
  }
}

void add_lost_attributes(const sync::SyncReport& report, Report& out) {
  if (report.attributes_lost == 0) return;
  out.messages.push_back(
      concat(counted(report.attributes_lost, "entry was", "entries were"),
             " copied without access control lists or extended attributes that a sync, or the "
             "target, does not keep"));
}

// How to get back what is no more where it was.
void add_trash(const ops::SyncResponse& response, Report& out) {
  const sync::SyncReport& report = *response.report;
  const bool push = response.asked.direction == sync::Direction::Push;
  if (report.overruled > 0) {
    out.messages.push_back(concat(counted(report.overruled, "file", "files"),
                                  " changed in the target since the last sync ",
                                  report.overruled == 1 ? "was" : "were", " replaced"));
  }
  const auto gone = report.files_replaced + report.files_removed;
  for (const auto& batch : report.trash_batches) {
    const bool only = report.trash_batches.size() == 1 && gone > 0;
    out.messages.push_back(
        concat(only ? counted(gone, "replaced or removed file is", "replaced or removed files are")
                    : "replaced or removed files are",
               " kept: yonder restore --sandbox ", push ? response.sandbox : "local", " ", batch));
  }
}

Report started(const ops::SyncResponse& response) {
  const std::int64_t id = response.transfer->id;
  return {.status = kExitSuccess,
          .out = concat(id, "\n"),
          .notes = {concat("it goes on in the background: yonder transfers ", id)},
          .if_unwritten = {concat("the transfer's number is ", id)}};
}

}  // namespace

Error in_sync_options(Error error) {
  error.message = in_options(std::move(error.message));
  error.hint = in_options(std::move(error.hint));
  return error;
}

std::vector<std::string> default_notes(const ops::SyncResponse& response) {
  std::vector<std::string> notes;
  if (!response.report) return notes;
  for (const auto& group : ops::group_left_out(response.report->plan.left)) {
    if (group.by_default) notes.push_back(left_out_note(group));
  }
  return notes;
}

Report sync_report(const ops::SyncResponse& response, bool quiet,
                   const std::vector<std::string>& told) {
  if (!response.report) return started(response);
  const sync::SyncReport& report = *response.report;
  Report out{.status = report.dry_run || report.complete() ? kExitSuccess : kExitProblems};
  if (report.dry_run) {
    out.out = plan_text(report, response.asked.direction == sync::Direction::Push);
  } else if (!quiet) {
    out.out = one_line(done_line(response)) + "\n";
  }
  add_left_out(report, quiet, report.dry_run ? std::vector<std::string>() : told, out);
  for (const auto& warning : report.warnings) out.messages.push_back(in_options(warning));
  add_lost_attributes(report, out);
  add_trouble(response, out);
  if (!quiet) add_trash(response, out);
  return out;
}

}  // namespace yonder::cli
