#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace yonder::ops {

// Pure: what the scripts of git_sync_script.h print. All of it is foreign: object ids are checked,
// and everything else may only be compared, or shown after printable().

struct FarCommit {
  std::string id;
  std::string subject;
};

struct FarRepository {
  // repository, missing, empty, foreign, file, denied, broken, no_git or no_home
  std::string state;
  std::string path;  // absolute
  std::string version;
  std::string why;     // of "broken": what git said
  std::string inside;  // of "foreign": the top of the repository around it
  bool bare = false;
  std::string format;  // "sha1" or "sha256"
  std::string head;    // empty: no commit yet
  std::string ref;     // "refs/heads/main"; empty: detached
  std::string tip;     // of the branch that was asked for; empty: there is none
  std::string busy;    // "merge", "rebase", ...; empty: no
  // A move by git_sync: "going", "left" (its processes are gone) or "away" (they cannot be seen
  // from there). Nothing that follows is known then. Empty: none.
  std::string moving;
  std::string moving_host;    // where it was begun
  std::string moving_head;    // from this commit; empty: there was none
  std::string moving_commit;  // to this one; empty: not begun
  std::string elsewhere;      // the other worktree where the branch is checked out
  bool has_commit = false;
  std::vector<FarCommit> history;  // of what the move would leave behind: of each start the newest
  std::vector<std::string> known;  // further commits, newest first
  std::vector<std::string> shallow;
  std::string changes;             // exactly what git status printed
  std::vector<std::string> dirty;  // its paths, raw

  bool is_repository() const { return state == "repository"; }
};
Result<FarRepository> parse_far_repository(std::string_view output);

struct FarOutcome {
  // ok, changed, blocked, failed, incomplete, no_remote, not_on_remote, too_old; locked: the index
  // is; moving: by another; half: it failed, and what it has done could not be taken back.
  std::string outcome;
  std::string step;
  std::string head;
  std::string ref;
  std::string tip;
  std::string stash;
  std::string code;                     // of git checkout; a hook may have set it
  std::vector<std::string> in_the_way;  // raw, each once; a repository ends in a slash
};
Result<FarOutcome> parse_far_outcome(std::string_view output);

// 40 or 64 digits.
bool is_object_id(std::string_view text);
std::string short_id(std::string_view id);

}  // namespace yonder::ops
