#include "cli/parse_sync.h"

#include <limits>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/grammar.h"
#include "cli/parse_values.h"

namespace yonder::cli {
namespace {

struct Paths {
  std::string sandbox;
  std::string source;
  std::string target;
};

// The one that may be left out stands first.
Result<Paths> paths_of(const std::string& name, const RawOptions& raw) {
  const std::string usage =
      name == "push" ? "yonder push [NAME] LOCAL REMOTE" : "yonder pull [NAME] REMOTE LOCAL";
  if (!raw.first_path) {
    return usage_error(concat("`yonder ", name, "` needs to know from where and to where"), usage);
  }
  Paths paths{.source = raw.sandbox, .target = *raw.first_path};
  if (raw.second_path) {
    paths = {.sandbox = raw.sandbox, .source = *raw.first_path, .target = *raw.second_path};
  }
  if (paths.source.empty() || paths.target.empty()) {
    return usage_error("a path is empty", "is the variable set?");
  }
  return paths;
}

Result<Command> to_sync(const std::string& name, const RawOptions& raw) {
  TRY_ASSIGN(const Paths paths, paths_of(name, raw));
  SyncOptions options{.json = raw.json, .quiet = raw.quiet};
  ops::SyncCall& call = options.call;
  const bool push = name == "push";
  call.by_agent = false;
  call.sandbox = paths.sandbox;
  call.background = raw.background;
  call.what.direction = push ? sync::Direction::Push : sync::Direction::Pull;
  call.what.local_path = push ? paths.source : paths.target;
  call.what.remote_path = push ? paths.target : paths.source;
  call.what.dry_run = raw.dry_run;
  sync::SyncOptions& how = call.what.options;
  how.delete_extras = raw.remove_extras;
  how.delete_ignored = raw.delete_ignored;
  how.excludes = raw.excludes;
  how.exclude_file = raw.exclude_file;
  how.use_gitignore = raw.gitignore;
  how.default_rules = !raw.no_default_excludes;
  how.checksum = raw.checksum;
  how.hard_links = raw.hard_links;
  how.keep_replaced = !raw.no_trash;
  how.flush_to_disk = raw.fsync;
  if (!raw.confirm_delete.empty()) {
    TRY_ASSIGN(how.confirm_delete, parse_count("--confirm-delete", raw.confirm_delete,
                                               std::numeric_limits<std::int32_t>::max()));
  }
  if (!raw.on_conflict.empty()) {
    const auto choice = ops::parse_conflict_choice(raw.on_conflict);
    if (!choice) {
      return usage_error(concat("--on-conflict: there is no \"", printable(raw.on_conflict), "\""),
                         "one of " + choice.error().hint);
    }
    how.on_conflict = *choice;
  }
  if (raw.dry_run && raw.background) {
    return usage_error("--dry-run changes nothing, so it has no --background", "drop one of them");
  }
  return Command(std::move(options));
}

Result<std::int64_t> parse_id(const std::string& text) {
  const auto id = parse_count("ID", text, std::numeric_limits<std::int32_t>::max());
  if (id && *id > 0) return static_cast<std::int64_t>(*id);
  return usage_error(concat("\"", printable(text), "\" is not the number of a transfer"),
                     "`yonder transfers` shows all");
}

Result<Command> to_transfers(const RawOptions& raw) {
  TransfersOptions options{.cancel = raw.cancel_transfer.has_value(), .json = raw.json};
  if (raw.transfer && raw.cancel_transfer) {
    return usage_error("two transfers are named", "yonder transfers --cancel ID");
  }
  const auto& word = raw.cancel_transfer ? raw.cancel_transfer : raw.transfer;
  if (word) {
    TRY_ASSIGN(options.id, parse_id(*word));
  }
  return Command(options);
}

}  // namespace

bool is_sync_command(const std::string& name) {
  return name == "push" || name == "pull" || name == "transfers" || name == "transfer-worker";
}

Result<Command> to_sync_command(const std::string& name, const RawOptions& raw) {
  if (name == "transfers") return to_transfers(raw);
  if (name != "transfer-worker") return to_sync(name, raw);
  TRY_ASSIGN(const std::int64_t id, parse_id(raw.transfer.value_or("")));
  return Command(TransferWorkerOptions{id});
}

}  // namespace yonder::cli
