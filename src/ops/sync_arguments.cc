#include "base/clean_text.h"
#include "base/text.h"
#include "ops/arguments.h"
#include "ops/sync.h"

namespace yonder::ops {
namespace {

constexpr double kDefaultWait = 50;
constexpr double kMaxWait = 24.0 * 3600;

void read_options(Arguments& in, sync::SyncOptions& options) {
  options.delete_extras = in.flag("delete_extras", false);
  options.confirm_delete = in.optional_count("confirm_delete");
  options.delete_ignored = in.flag("delete_ignored", false);
  options.excludes = in.list("excludes");
  options.exclude_file = in.text("exclude_file", "");
  options.use_gitignore = in.flag("use_gitignore", false);
  options.default_rules = in.flag("default_excludes", true);
  options.checksum = in.flag("checksum", false);
  options.hard_links = in.flag("hard_links", false);
  const auto choice = parse_conflict_choice(in.text("on_conflict", "stop"));
  if (choice) {
    options.on_conflict = *choice;
  } else {
    in.fail("on_conflict", "must be one of: " + choice.error().hint);
  }
  options.keep_replaced = in.flag("trash", true);
  options.flush_to_disk = in.flag("fsync", false);
}

}  // namespace

Result<sync::ConflictChoice> parse_conflict_choice(const std::string& word) {
  if (word == "stop") return sync::ConflictChoice::Stop;
  if (word == "keep_remote") return sync::ConflictChoice::KeepRemote;
  if (word == "keep_local") return sync::ConflictChoice::KeepLocal;
  if (word == "both") return sync::ConflictChoice::Both;
  return Error{Errc::InvalidArgument, concat("on_conflict: there is no '", printable(word), "'"),
               "stop, keep_remote, keep_local, both"};
}

const char* word_of(sync::ConflictChoice choice) {
  switch (choice) {
    case sync::ConflictChoice::KeepRemote: return "keep_remote";
    case sync::ConflictChoice::KeepLocal: return "keep_local";
    case sync::ConflictChoice::Both: return "both";
    case sync::ConflictChoice::Stop: break;
  }
  return "stop";
}

Result<SyncCall> parse_sync_call(const Json& arguments, sync::Direction direction) {
  Arguments in(arguments);
  SyncCall call;
  call.what.direction = direction;
  const bool push = direction == sync::Direction::Push;
  call.what.local_path = in.text("local_path", push ? "." : "./remote_mirror");
  call.what.remote_path = in.text("remote_path", ".");
  if (call.what.local_path.empty()) in.fail("local_path", "must not be empty");
  if (call.what.remote_path.empty()) in.fail("remote_path", "must not be empty");
  call.sandbox = in.text("sandbox_name", "");
  read_options(in, call.what.options);
  call.what.dry_run = in.flag("dry_run", false);
  call.background = in.flag("background", false);
  call.wait = std::chrono::duration_cast<Duration>(
      std::chrono::duration<double>(in.number("wait_s", kDefaultWait, 0, kMaxWait)));
  if (call.what.dry_run && call.background) {
    in.fail("dry_run", "changes nothing, so it has no background; call it without background");
  }
  TRY(in.finish());
  return call;
}

Json options_json(const sync::SyncRequest& request) {
  const sync::SyncOptions& options = request.options;
  return Json{{"delete_extras", options.delete_extras},
              {"confirm_delete", options.confirm_delete ? Json(*options.confirm_delete) : Json()},
              {"delete_ignored", options.delete_ignored},
              {"excludes", options.excludes},
              {"exclude_file", options.exclude_file},
              {"use_gitignore", options.use_gitignore},
              {"default_excludes", options.default_rules},
              {"checksum", options.checksum},
              {"hard_links", options.hard_links},
              {"on_conflict", word_of(options.on_conflict)},
              {"trash", options.keep_replaced},
              {"fsync", options.flush_to_disk}};
}

}  // namespace yonder::ops
