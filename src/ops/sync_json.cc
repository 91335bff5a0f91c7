#include "ops/sync_json.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "base/utf8.h"
#include "ops/schema.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kMostGroups = 50;
constexpr std::size_t kMostExamples = 5;
constexpr std::size_t kMostListed = 50;
constexpr std::size_t kMostPlanned = 100;

const char* name_of(sync::Left why) {
  switch (why) {
    case sync::Left::Excluded: return "excluded";
    case sync::Left::Unreadable: return "unreadable";
    case sync::Left::Special: return "special";
    case sync::Left::Conflict: return "conflict";
    case sync::Left::Kept: return "kept";
    case sync::Left::InTheWay: break;
  }
  return "in_the_way";
}

// "`.env` (built in)" is about ".env".
std::string pattern_of(const std::string& rule) {
  const std::size_t begin = rule.find('`');
  const std::size_t end = rule.find('`', begin + 1);
  if (begin == std::string::npos || end == std::string::npos) return rule;
  return rule.substr(begin + 1, end - begin - 1);
}

bool is_built_in(sync::Left why, const std::string& rule) {
  return why == sync::Left::Excluded && rule.find(concat("(", tree::kBuiltIn)) != std::string::npos;
}

std::string hint_for(sync::Left why, const std::string& rule) {
  if (why == sync::Left::InTheWay) return "move away what is in its place, and sync again";
  if (why == sync::Left::Kept) return "on_conflict said so";
  if (why == sync::Left::Unreadable) return "make it readable, or exclude it";
  if (why != sync::Left::Excluded) return "";
  const auto says = [&](std::string_view what) { return rule.find(what) != std::string::npos; };
  if (says(concat("(", sync::kSecretPlace, ")"))) return "[sync] allow_secrets in config.toml";
  if (!says(concat("(", tree::kBuiltIn))) return "";
  const std::string back = concat("excludes: [\"!", pattern_of(rule), "\"] brings it back");
  return says(tree::kBuiltInSecret) ? concat("left out because it often holds secrets; ", back)
                                    : concat("left out by default; ", back);
}

// Of what is in the way every one has a reason of its own: the kind is enough.
std::string rule_for(const sync::LeftOut& left) {
  if (left.why == sync::Left::InTheWay) return "something of another kind is in its place";
  return printable(left.detail);
}

std::string shown(const std::string& path, bool is_directory) {
  return is_directory ? shown_name(path) + "/" : shown_name(path);
}

Json groups_json(const std::vector<sync::LeftOut>& left) {
  Json json = Json::array();
  for (const auto& group : group_left_out(left)) {
    json.push_back({{"why", group.why},
                    {"rule", group.rule},
                    {"count", group.count},
                    {"examples", group.examples},
                    {"hint", group.hint}});
  }
  return json;
}

Json conflicts_json(const std::vector<sync::LeftOut>& left) {
  Json json = Json::array();
  for (const auto& item : left) {
    if (item.why != sync::Left::Conflict) continue;
    if (json.size() == kMostListed) break;
    json.push_back({{"path", shown_name(item.path)}, {"detail", printable(item.detail)}});
  }
  return json;
}

Json failed_json(const std::vector<sync::FailedEntry>& failed) {
  Json json = Json::array();
  for (const auto& entry : failed) {
    if (json.size() == kMostListed) break;
    json.push_back({{"path", shown_name(entry.path)},
                    {"code", yonder::name_of(entry.code)},
                    {"message", printable(entry.message)},
                    {"where", entry.over_there ? "remote" : "local"},
                    {"hint", ops::hint_for(entry)}});
  }
  return json;
}

Json copies_json(const std::vector<sync::ConflictCopy>& copies) {
  Json json = Json::array();
  for (const auto& copy : copies) {
    if (json.size() == kMostListed) break;
    json.push_back({{"path", shown_name(copy.path)}, {"copy", shown_name(copy.copy)}});
  }
  return json;
}

Json counts_json(const sync::Counts& counts) {
  return Json{{"create", counts.create_files + counts.create_directories},
              {"update", counts.update_files + counts.update_attributes},
              {"delete", counts.removals()},
              {"unchanged", counts.unchanged},
              {"excluded", counts.excluded},
              {"unreadable", counts.unreadable},
              {"special", counts.special},
              {"conflicts", counts.conflicts},
              {"kept", counts.kept},
              {"in_the_way", counts.in_the_way},
              {"extras_kept", counts.extras}};
}

const char* type_word(tree::Type type) {
  switch (type) {
    case tree::Type::Directory: return "directory";
    case tree::Type::Link: return "link";
    case tree::Type::File: return "file";
    case tree::Type::Special: break;
  }
  return "special";
}

Json entry_json(const sync::Action& action) {
  const char* what = action.target.exists ? "update" : "create";
  std::string reason = action.target.exists ? "differs" : "missing in the target";
  if (action.act == sync::Act::Remove) {
    what = "delete";
    reason = "not in the source";
  } else if (action.act == sync::Act::SetAttributes) {
    what = "attributes";
    reason = action.changes_mode ? "its mode differs" : "same contents; mode or time differ";
  }
  if (!action.set_aside.empty()) {
    reason = concat("changed at both ends; the target's becomes ", shown_name(action.set_aside));
  }
  const bool has_bytes = action.act == sync::Act::PutFile;
  return Json{{"action", what},
              {"path", action.path.empty() ? "." : shown_name(action.path)},
              {"type", type_word(action.type)},
              {"bytes", has_bytes ? action.size : 0},
              {"reason", reason}};
}

Json entry_json(const sync::LeftOut& left) {
  const bool conflict = left.why == sync::Left::Conflict;
  const char* kept = left.why == sync::Left::Kept ? "keep" : "skip";
  return Json{{"action", conflict ? "conflict" : kept},
              {"path", shown_name(left.path)},
              {"type", left.is_directory ? "directory" : "file"},
              {"bytes", 0},
              {"reason", printable(left.detail)}};
}

Json plan_json(const sync::Plan& plan) {
  Json entries = Json::array();
  if (plan.makes_root) {
    entries.push_back({{"action", "create"},
                       {"path", "."},
                       {"type", "directory"},
                       {"bytes", 0},
                       {"reason", "the target does not exist"}});
  }
  // What somebody should know before he says yes comes first, in case not all are shown.
  const auto add_actions = [&](bool removals) {
    for (const auto& action : plan.actions) {
      if (entries.size() == kMostPlanned) return;
      if ((action.act == sync::Act::Remove) == removals) entries.push_back(entry_json(action));
    }
  };
  const auto add_left = [&](bool conflicts) {
    for (const auto& left : plan.left) {
      if (entries.size() == kMostPlanned) return;
      if ((left.why == sync::Left::Conflict) == conflicts) entries.push_back(entry_json(left));
    }
  };
  std::size_t modes = 0;
  const auto add_modes = [&] {
    for (const auto& directory : plan.directories) {
      if (!directory.changes_mode) continue;
      ++modes;
      if (entries.size() < kMostPlanned) entries.push_back(entry_json(directory));
    }
  };
  add_left(true);
  add_actions(true);
  add_modes();
  add_actions(false);
  add_left(false);
  return Json{{"entries", entries},
              {"total", plan.actions.size() + plan.left.size() + modes + (plan.makes_root ? 1 : 0)},
              {"files_to_send", plan.counts.files()},
              {"bytes_to_send", plan.counts.bytes},
              {"deletes", plan.counts.removals()},
              {"needs_confirm_delete", plan.needs_confirm ? Json(*plan.needs_confirm) : Json()}};
}

const char* status_of(const SyncResponse& response) {
  if (!response.report) return "queued";
  if (response.report->dry_run) return "planned";
  return response.report->complete() ? "completed" : "incomplete";
}

Json texts_json(const std::vector<std::string>& texts) {
  Json json = Json::array();
  for (const auto& text : texts) json.push_back(shown_name(text));
  return json;
}

// What only a sync that is done knows.
Json done_json(const SyncResponse& response) {
  const sync::SyncReport& report = *response.report;
  const bool push = response.asked.direction == sync::Direction::Push;
  const auto& counts = report.plan.counts;
  return Json{{"complete", report.dry_run ? Json() : Json(report.complete())},
              {"synced_type", report.single_file ? "file" : "directory"},
              {push ? "uploaded_dirs" : "created_dirs", report.directories_made},
              {push ? "uploaded_files" : "downloaded_files", report.files_sent},
              {"skipped_files", counts.unchanged - counts.unchanged_directories},
              {"attributes_set", report.attributes_set},
              {"attributes_lost", report.attributes_lost},
              {"deleted_dirs", report.directories_removed},
              {"deleted_files", report.files_removed},
              {"bytes_sent", report.bytes_sent},
              {"bytes_on_wire", report.bytes_on_wire},
              {"counts", counts_json(counts)},
              {"left_out", groups_json(report.plan.left)},
              {"conflicts", conflicts_json(report.plan.left)},
              {"conflict_copies", copies_json(report.conflict_copies)},
              {"overruled", report.overruled},
              {"failed", failed_json(report.failed)},
              {"failed_total", report.failed.size()},
              {"trash_batches", texts_json(report.trash_batches)},
              {"reconnects", report.reconnects},
              {"plan", report.dry_run ? plan_json(report.plan) : Json()},
              {"duration_s", to_seconds(report.duration)}};
}

Json not_done_json(bool push) {
  Json json = Json::object();
  for (const char* key : {"complete", "synced_type"}) json[key] = nullptr;
  json[push ? "uploaded_dirs" : "created_dirs"] = nullptr;
  json[push ? "uploaded_files" : "downloaded_files"] = nullptr;
  for (const char* key : {"skipped_files", "attributes_set", "attributes_lost", "deleted_dirs",
                          "deleted_files", "bytes_sent", "bytes_on_wire", "counts", "left_out",
                          "conflicts", "conflict_copies", "overruled", "failed", "failed_total",
                          "trash_batches", "reconnects", "plan", "duration_s"}) {
    json[key] = nullptr;
  }
  return json;
}

Json warnings_json(const SyncResponse& response) {
  Json json = response.report ? texts_json(response.report->warnings) : Json::array();
  if (response.transfer && !response.transfer->why.empty()) json.push_back(response.transfer->why);
  return json;
}

}  // namespace

std::vector<LeftOutGroup> group_left_out(const std::vector<sync::LeftOut>& left) {
  std::vector<LeftOutGroup> groups;
  std::map<std::pair<sync::Left, std::string>, std::size_t> places;
  for (const auto& item : left) {
    if (item.why == sync::Left::Conflict) continue;
    const std::string rule = rule_for(item);
    auto place = places.find({item.why, rule});
    if (place == places.end()) {
      if (groups.size() == kMostGroups) continue;
      place = places.emplace(std::pair(item.why, rule), groups.size()).first;
      groups.push_back({.why = name_of(item.why),
                        .rule = rule,
                        .hint = hint_for(item.why, rule),
                        .by_default = is_built_in(item.why, rule)});
    }
    LeftOutGroup& group = groups[place->second];
    ++group.count;
    if (group.examples.size() < kMostExamples) {
      group.examples.push_back(shown(item.path, item.is_directory));
    }
  }
  return groups;
}

std::string hint_for(const sync::FailedEntry& failed) {
  const auto says = [&](std::string_view what) {
    return failed.message.find(what) != std::string::npos;
  };
  const char* where = failed.over_there ? "there" : "here";
  if (says("No space left") || says("Disk quota exceeded")) {
    return concat("free space ", where, "; `yonder trash", failed.over_there ? "" : " local",
                  "` shows what Yonder keeps of replaced files ", where, ", --empty removes it");
  }
  if (says("Permission denied")) return concat("check its mode and owner ", where);
  if (says("Read-only file system")) return concat("choose a place that can be written ", where);
  return "";
}

Json to_json(const SyncResponse& response) {
  const bool push = response.asked.direction == sync::Direction::Push;
  const auto& report = response.report;
  const auto& transfer = response.transfer;
  Json json{{"mode", transfer ? "background" : "inline"},
            {"status", status_of(response)},
            {"sandbox", response.sandbox},
            {"local_path", shown_name(report ? report->local_path : response.asked.local_path)},
            {"remote_path", shown_name(report ? report->remote_path : response.asked.remote_path)},
            {"delete_extras", response.asked.options.delete_extras},
            {"dry_run", response.asked.dry_run}};
  json.update(report ? done_json(response) : not_done_json(push));
  json["task_id"] = transfer ? Json(transfer->id) : Json();
  json["auto_switched"] = transfer && transfer->auto_switched;
  json["pid"] = transfer ? Json(transfer->pid) : Json();
  json["log_file"] = transfer ? Json(shown_name(transfer->log_file)) : Json();
  json["warnings"] = warnings_json(response);
  return json;
}

Json sync_output_schema(sync::Direction direction) {
  const bool push = direction == sync::Direction::Push;
  const auto list = [](const char* about) {
    return Json{{"type", Json::array({"array", "null"})}, {"description", about}};
  };
  return result_schema(
      {{"mode", typed("string", "inline, or background: follow task_id.")},
       {"status", typed("string", "completed, incomplete, planned (dry_run) or queued.")},
       {"sandbox", typed("string", "Where.")},
       {"local_path", typed("string", "Absolute.")},
       {"remote_path", typed("string", "Absolute once it is done.")},
       {"delete_extras", typed("boolean", "As asked.")},
       {"dry_run", typed("boolean", "As asked.")},
       {"complete", nullable("boolean", "false: see failed, conflicts, left_out.")},
       {"synced_type", nullable("string", "file or directory.")},
       {push ? "uploaded_dirs" : "created_dirs", nullable("integer", "Directories made.")},
       {push ? "uploaded_files" : "downloaded_files", nullable("integer", "Files and links.")},
       {"skipped_files", nullable("integer", "They were the same.")},
       {"attributes_set",
        nullable("integer", "Only mode or time differed; and modes of directories.")},
       {"attributes_lost",
        nullable("integer", "Entries copied without their ACLs or extended attributes.")},
       {"deleted_dirs", nullable("integer", "With delete_extras.")},
       {"deleted_files", nullable("integer", "With delete_extras.")},
       {"bytes_sent", nullable("integer", "Of contents.")},
       {"bytes_on_wire", nullable("integer", "As they went over the link.")},
       {"counts", nullable("object", "Of the plan.")},
       {"left_out", list("By rule or reason: why, rule, count, examples, hint.")},
       {"conflicts", list("The first: path, detail.")},
       {"conflict_copies", list("on_conflict both: path, copy (the target's).")},
       {"overruled", nullable("integer", "Changed in the target, replaced by on_conflict.")},
       {"failed", list("The first: path, code, message, where (local, remote), hint.")},
       {"failed_total", nullable("integer", "How many.")},
       {"trash_batches", list("Where what was replaced or removed is kept.")},
       {"reconnects", nullable("integer", "Lost links.")},
       {"plan", nullable("object", "With dry_run: entries and totals.")},
       {"duration_s", nullable("number", "Of the whole sync.")},
       {"task_id", nullable("integer", "For check_file_transfer_task.")},
       {"auto_switched", typed("boolean", "It was too large or took too long to wait for.")},
       {"pid", nullable("integer", "Of the worker.")},
       {"log_file", nullable("string", "Of the worker, on this machine.")},
       {"warnings", list_of(Json{{"type", "string"}}, "What else to know.")}});
}

}  // namespace yonder::ops
