#include "ops/git_sync_plan.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/quote.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kMostShown = 20;
constexpr std::size_t kMostCommits = 10;
constexpr std::size_t kHistory = 100;  // as far as the script looks
constexpr std::size_t kLongestSubject = 100;
constexpr std::string_view kHeads = "refs/heads/";

std::string quoted(const std::string& path) {
  return concat("'", printable(path), "'");
}

Error broken_repository(const FarRepository& far) {
  const std::string path = quoted(far.path);
  if (far.why.find("dubious ownership") != std::string::npos) {
    return {Errc::Unsupported,
            concat(path, " over there belongs to somebody else, so git does not touch it"),
            concat("if you trust it, run over there: ",
                   ShellText("git config --global --add safe.directory").arg(far.path).str())};
  }
  return {Errc::Conflict,
          concat(path, " over there looks like a git repository, but git cannot use it",
                 far.why.empty() ? "" : concat(": ", clean_text(far.why.substr(0, 400)).text)),
          "mend or remove it, or give another remote_path"};
}

Result<void> check_place(const FarRepository& far) {
  const std::string path = quoted(far.path);
  if (far.state == "no_home") {
    return Error{Errc::InvalidArgument,
                 concat(path, " is below the home directory, and HOME is not set there"),
                 "give an absolute path"};
  }
  if (far.state == "no_git") {
    return Error{Errc::Unsupported, "there is no git over there, as far as PATH reaches",
                 "install git there, or make PATH name it for commands without a terminal"};
  }
  if (far.state == "file") {
    return Error{Errc::Conflict, concat(path, " over there is not a directory"),
                 "give another remote_path"};
  }
  if (far.state == "denied") {
    return Error{Errc::Conflict, concat(path, " over there may not be read"),
                 "give another remote_path"};
  }
  if (far.state == "foreign") {
    return Error{Errc::Conflict,
                 far.inside.empty()
                     ? concat(path, " over there holds files and is no git repository")
                     : concat(path, " over there is inside the repository ", quoted(far.inside)),
                 far.inside.empty() ? "give an empty or new remote_path; nothing is overwritten"
                                    : "give the top of the repository as remote_path"};
  }
  if (far.state == "broken") return broken_repository(far);
  const bool usable = far.is_repository() || far.state == "missing" || far.state == "empty";
  if (!usable) return Error{Errc::Protocol, concat("unknown state ", printable(far.state)), ""};
  return {};
}

Result<void> check_busy(const FarRepository& far) {
  if (far.busy.empty()) return {};
  return Error{Errc::Conflict,
               concat(quoted(far.path), " over there is in the middle of a ", printable(far.busy)),
               concat("finish it there, or give it up: ",
                      far.busy == "bisect" ? "git bisect reset"
                                           : concat("git ", printable(far.busy), " --abort"))};
}

Result<void> check_repository(const LocalCommit& local, const FarRepository& far) {
  const std::string path = quoted(far.path);
  if (far.format != local.format) {
    return Error{Errc::Unsupported,
                 concat(path, " over there is a ", far.format, " repository, the one here is ",
                        local.format),
                 "git cannot mix the two; give another remote_path"};
  }
  TRY(check_busy(far));
  if (!far.elsewhere.empty()) {
    return Error{Errc::Conflict,
                 concat("the branch ", printable(local.branch),
                        " is checked out in another worktree over there, ", quoted(far.elsewhere)),
                 "give that one as remote_path, or another branch"};
  }
  if (far.bare && local.branch.empty()) {
    return Error{Errc::InvalidArgument,
                 concat(path, " over there is bare, and the commit has no branch to put it on"),
                 "name one with branch"};
  }
  return {};
}

std::string list_of_commits(const std::vector<FarCommit>& own) {
  return concat(own.size(), own.size() >= kHistory ? " or more" : "",
                own.size() == 1 ? " commit exists" : " commits exist",
                " only there: ", join(commit_lines(own), "; "));
}

std::vector<GitBackup> plan_backups(const LocalCommit& local, const FarRepository& far,
                                    const std::vector<FarCommit>& own, const std::string& date) {
  std::vector<GitBackup> backups;
  const auto add = [&](const std::string& commit) {
    if (commit.empty() || commit == local.id) return;
    const std::string branch = concat("yonder/backup-", date, "-", short_id(commit));
    if (backups.empty() || backups[0].commit != commit) backups.push_back({branch, commit});
  };
  if (own.empty()) return backups;
  add(far.tip);
  if (far.ref.empty() && !far.bare) add(far.head);
  return backups;
}

}  // namespace

std::string where_head_is(const std::string& head, const std::string& ref) {
  const std::string at = head.empty() ? "without a commit" : concat("at ", short_id(head));
  if (!ref.starts_with(kHeads)) return concat("detached ", at);
  return concat("on branch ", printable(ref.substr(kHeads.size())), " ", at);
}

std::string some_paths(const std::vector<std::string>& raw) {
  std::vector<std::string> shown;
  for (const auto& path : raw) {
    if (shown.size() == kMostShown) break;
    shown.push_back(printable(path));
  }
  std::string text = join(shown, ", ");
  if (raw.size() > shown.size()) text += concat(" and ", raw.size() - shown.size(), " more");
  return text;
}

std::vector<std::string> commit_lines(const std::vector<FarCommit>& commits) {
  std::vector<std::string> lines;
  for (const auto& [id, subject] : commits) {
    if (lines.size() == kMostCommits) break;
    lines.push_back(concat(short_id(id), " ", printable(subject.substr(0, kLongestSubject))));
  }
  if (commits.size() > lines.size()) {
    lines.push_back(concat("and ", commits.size() - lines.size(),
                           commits.size() >= kHistory ? " or more others" : " more"));
  }
  return lines;
}

Result<void> check_far(const GitSyncRequest& request, const LocalCommit& local,
                       const FarRepository& far) {
  TRY(check_place(far));
  if (far.is_repository()) TRY(check_repository(local, far));
  if (request.via == GitVia::Remote && !far.is_repository()) {
    return Error{Errc::NotFound,
                 concat(quoted(far.path), " over there is no repository yet, so it has no remote"),
                 "clone it there first, or use via=link, which needs no remote"};
  }
  if (request.via == GitVia::Link && local.shallow && !far.has_commit) {
    return Error{Errc::Unsupported,
                 "the repository here is a shallow clone: its history is cut off",
                 "`git fetch --unshallow` here first, or use via=remote"};
  }
  return {};
}

Result<void> check_moving(const FarRepository& far) {
  if (far.moving == "going") return {};
  TRY(check_busy(far));
  if (far.moving == "left") return {};
  if (far.moving != "away") {
    return Error{Errc::Protocol, concat("unknown move ", printable(far.moving)), ""};
  }
  return Error{
      Errc::Conflict,
      concat(quoted(far.path), " over there is being moved to ", short_id(far.moving_commit),
             " by processes on ", printable(far.moving_host), ", which cannot be seen from here"),
      "call it through that machine; if the move was ended there, remove yonder-moving and "
      "index.lock in the git directory, and look at `git status`"};
}

std::vector<FarCommit> own_commits(const FarRepository& far,
                                   const std::vector<std::string>& known) {
  std::vector<FarCommit> own;
  for (const auto& commit : far.history) {
    if (std::find(known.begin(), known.end(), commit.id) == known.end()) own.push_back(commit);
  }
  return own;
}

Result<void> check_losses(const GitSyncRequest& request, const LocalCommit& local,
                          const FarRepository& far, const std::vector<FarCommit>& own) {
  std::vector<std::string> reasons;
  std::vector<std::string> ways;
  if (!far.dirty.empty() && request.on_dirty == OnDirty::Refuse) {
    reasons.push_back(concat(far.dirty.size(), far.dirty.size() == 1 ? " file has" : " files have",
                             " uncommitted changes: ", some_paths(far.dirty)));
    ways.emplace_back("on_dirty=stash puts the changes away, on_dirty=reset throws them away");
  }
  if (!own.empty() && request.on_diverged == OnDiverged::Refuse) {
    reasons.push_back(list_of_commits(own));
    ways.emplace_back(
        "on_diverged=keep_branch keeps the commits on a branch of their own, on_diverged=reset "
        "gives them up");
  }
  if (reasons.empty()) return {};
  return Error{Errc::Conflict,
               concat("not brought to ", short_id(local.id), ", nothing was changed: in ",
                      quoted(far.path), " over there ", join(reasons, "; and ")),
               join(ways, "; ")};
}

bool is_up_to_date(const LocalCommit& local, const FarRepository& far) {
  if (!far.is_repository()) return false;
  if (far.bare) return far.tip == local.id;
  const std::string wanted = local.branch.empty() ? "" : concat(kHeads, local.branch);
  return far.head == local.id && far.ref == wanted && far.dirty.empty();
}

GitApply plan_apply(const GitSyncRequest& request, const LocalCommit& local,
                    const FarRepository& far, const std::vector<FarCommit>& own,
                    const std::string& date) {
  GitApply apply{.path = far.path,
                 .commit = local.id,
                 .branch = local.branch,
                 .make_repository = !far.is_repository(),
                 .bare = far.bare,
                 .format = local.format,
                 .head = far.head,
                 .head_ref = far.ref,
                 .tip = far.tip,
                 .remote = request.remote,
                 .on_dirty = word_of(request.on_dirty),
                 .fetch_lfs = request.via == GitVia::Remote};
  if (request.on_diverged == OnDiverged::KeepBranch) {
    apply.backups = plan_backups(local, far, own, date);
  }
  return apply;
}

std::vector<std::string> warnings_of(const GitSyncRequest& request, const LocalCommit& local) {
  std::vector<std::string> warnings;
  if (local.uncommitted > 0 && local.is_head) {
    warnings.push_back(concat(local.uncommitted,
                              local.uncommitted == 1 ? " change here is" : " changes here are",
                              " not committed, and so not part of what is over there now"));
  }
  if (local.submodules) {
    warnings.emplace_back("submodules are not brought along; over there: git submodule update");
  }
  if (local.lfs && request.via == GitVia::Link) {
    warnings.emplace_back(
        "files in git LFS are only pointers over there until `git lfs pull` fetches them");
  }
  return warnings;
}

}  // namespace yonder::ops
