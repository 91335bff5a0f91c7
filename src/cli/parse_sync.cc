#include "cli/parse_sync.h"

#include <algorithm>
#include <limits>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/grammar.h"
#include "cli/parse_values.h"
#include "cli/place_words.h"

namespace yonder::cli {
namespace {

Result<std::vector<Copy>> copies_of(const std::string& name, const RawOptions& raw) {
  const bool push = name == "push";
  const auto& words = raw.paths;
  if (words.size() < 2) {
    return usage_error(
        concat("`yonder ", name, "` needs to know from where and to where"),
        push ? "yonder push LOCAL... NAME:REMOTE, or yonder push [NAME] LOCAL REMOTE"
             : "yonder pull NAME:REMOTE... LOCAL, or yonder pull [NAME] REMOTE LOCAL");
  }
  // The first of more than two may be a name, and is judged as one.
  const auto first_path = words.begin() + (words.size() > 2 ? 1 : 0);
  if (std::find(first_path, words.end(), "") != words.end()) {
    return usage_error("a path is empty", "is the variable set?");
  }
  return push ? push_words(raw.sandbox, words) : pull_words(raw.sandbox, words);
}

Result<Command> to_sync(const std::string& name, const RawOptions& raw) {
  TRY_ASSIGN(const std::vector<Copy> copies, copies_of(name, raw));
  const bool push = name == "push";
  ops::SyncCall call{.background = raw.background, .by_agent = false};
  call.what.direction = push ? sync::Direction::Push : sync::Direction::Pull;
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
  SyncOptions options{.json = raw.json, .quiet = raw.quiet};
  for (const Copy& copy : copies) {
    call.sandbox = copy.sandbox;
    call.what.local_path = push ? copy.source : copy.target;
    call.what.remote_path = push ? copy.target : copy.source;
    options.calls.push_back(call);
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
