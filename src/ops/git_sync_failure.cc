#include <algorithm>
#include <iterator>

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/git_sync_plan.h"

namespace yonder::ops {
namespace {

Error blocked(const GitApply& apply, const std::vector<std::string>& in_the_way) {
  std::vector<std::string> repositories;
  std::copy_if(in_the_way.begin(), in_the_way.end(), std::back_inserter(repositories),
               [](const std::string& path) { return path.ends_with('/'); });
  const std::string begin =
      concat("not brought to ", short_id(apply.commit), ", nothing was changed: in ", "'",
             printable(apply.path), "'", " over there ");
  if (repositories.empty()) {
    return {Errc::Conflict,
            concat(begin, "untracked files are in the way: ", some_paths(in_the_way)),
            "on_dirty=stash puts them away, on_dirty=reset overwrites them"};
  }
  return {Errc::Conflict,
          concat(begin, "submodules or other repositories with files in them would be removed: ",
                 some_paths(repositories)),
          "keep what is needed of them, then empty or move these directories over there; for a "
          "submodule: git submodule deinit"};
}

}  // namespace

Error far_failure(const GitSyncRequest& request, const GitApply& apply, const FarOutcome& outcome,
                  const std::string& said) {
  const std::string path = concat("'", printable(apply.path), "'");
  const std::string now = concat("; HEAD over there is ", where_head_is(outcome.head, outcome.ref));
  if (outcome.outcome == "blocked") return blocked(apply, outcome.in_the_way);
  if (outcome.outcome == "changed") {
    return {Errc::Conflict,
            concat(path, " over there has changed while we looked at it; it was left alone", now),
            "look who works there, then call again"};
  }
  if (outcome.outcome == "no_remote") {
    return {Errc::NotFound,
            concat(path, " over there has no remote '", printable(request.remote), "'"),
            "name one of `git remote` with remote, or use via=link"};
  }
  if (outcome.outcome == "not_on_remote") {
    return {Errc::NotFound,
            concat("the commit ", short_id(apply.commit), " is not on the remote '",
                   printable(request.remote), "' of ", path, now),
            "push it first, or use via=link, which needs no remote"};
  }
  if (outcome.outcome == "too_old") {
    return {Errc::Unsupported, "git over there is too old for sha256 repositories", "update it"};
  }
  if (outcome.outcome == "incomplete") {
    return {Errc::Protocol,
            concat("objects are still missing in ", path, " after the transfer", now),
            "`git fsck` over there says more"};
  }
  if (outcome.outcome == "locked") {
    return {Errc::Conflict,
            concat("git is at work in ", path, " over there, or was ended at it: ", said, now),
            "when no git runs there any more, remove that file there and call again"};
  }
  std::string stash;
  if (!outcome.stash.empty()) {
    stash = concat("; the changes are in the stash ", short_id(outcome.stash));
  }
  return {Errc::Conflict,
          concat("git failed over there while ", printable(outcome.step), ": ", said, now, stash),
          outcome.outcome == "half" ? "it is half done: the next call begins by taking that back"
                                    : "nothing is half done; mend that over there and call again"};
}

}  // namespace yonder::ops
