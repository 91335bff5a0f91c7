#include "cli/parse_git_sync.h"

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/grammar.h"
#include "cli/parse_values.h"
#include "cli/place_words.h"

namespace yonder::cli {

Result<Command> to_git_sync(const RawOptions& raw) {
  GitSyncOptions options{.json = raw.json};
  ops::GitSyncRequest& request = options.request;
  request.by_agent = false;
  if (raw.paths.empty()) {
    return usage_error("`yonder git-sync` needs to know which directory over there",
                       "yonder git-sync NAME:REMOTE_PATH");
  }
  TRY_ASSIGN(const FarWords far, far_words_after_name(raw.sandbox, raw.paths, 1));
  if (far.words.size() > 1) {
    return usage_error(concat("unexpected argument \"", printable(far.words[1]), "\""),
                       "`yonder git-sync --help` shows how");
  }
  request.sandbox = far.sandbox;
  request.remote_path = far.words.front();
  if (request.remote_path.empty()) {
    return usage_error("the directory's name is empty", "is the variable set?");
  }
  if (!raw.local_path.empty()) request.local_path = raw.local_path;
  if (!raw.commit.empty()) request.commit = raw.commit;
  if (!raw.remote.empty()) request.remote = raw.remote;
  request.branch = raw.branch;
  request.background = raw.background;
  if (!raw.via.empty()) {
    TRY_ASSIGN(request.via, ops::parse_git_via(raw.via));
  }
  if (!raw.on_dirty.empty()) {
    TRY_ASSIGN(request.on_dirty, ops::parse_on_dirty(raw.on_dirty));
  }
  if (!raw.on_diverged.empty()) {
    TRY_ASSIGN(request.on_diverged, ops::parse_on_diverged(raw.on_diverged));
  }
  if (!raw.timeout.empty()) {
    TRY_ASSIGN(request.timeout, parse_time_limit("--timeout", raw.timeout));
  }
  TRY(ops::check_git_sync_request(request));
  return Command(std::move(options));
}

}  // namespace yonder::cli
