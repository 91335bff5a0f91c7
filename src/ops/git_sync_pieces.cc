#include "ops/git_sync_pieces.h"

#include "base/quote.h"
#include "base/text.h"
#include "ops/git_safety.h"

namespace yonder::ops {
namespace {

// A POSIX sh reads these: dash, busybox and bash do. Values come in as quoted assignments before
// them, and nothing else of theirs is ever made from data.

constexpr const char* kCommon = R"sh(
LC_ALL=C GIT_TERMINAL_PROMPT=0
export LC_ALL GIT_TERMINAL_PROMPT
unset GIT_EXTERNAL_DIFF GIT_PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR
git() { command git $safe "$@"; }
# It is named, and not found by git: nothing else that looks like one is taken for a repository.
is_bare() { [ ! -e .git ] && [ -f HEAD ] && [ -d objects ] && [ -d refs ]; }
use_bare() { safe="$safe --bare"; }
printf 'yonder-git-sync 1\0'
put() { printf '%s=%s\0' "$1" "$2"; }
is_empty() { [ "$(ls -A . | wc -c)" -eq 0 ]; }
head_now() { git rev-parse -q --verify 'HEAD^{commit}' 2>/dev/null; }
ref_now() { git symbolic-ref -q HEAD 2>/dev/null; }
tip_now() { [ -z "$branch" ] || git rev-parse -q --verify "refs/heads/$branch^{commit}" 2>/dev/null; }
# Submodules are not brought along, so that theirs are no changes of ours.
changes() { git status --porcelain --untracked-files=no --ignore-submodules=all --no-renames "$@"; }
# All of it, and not only the commit: a broken transfer of long ago may have left a part.
has_all() {
  git cat-file -e "$commit^{commit}" 2>/dev/null &&
    git rev-list --quiet --objects "$commit" --not --all >/dev/null 2>&1
}
busy_with() {
  at=$(git rev-parse --git-dir)
  for mark in MERGE_HEAD:merge rebase-merge:rebase rebase-apply:rebase \
    CHERRY_PICK_HEAD:cherry-pick REVERT_HEAD:revert BISECT_LOG:bisect; do
    [ ! -e "$at/${mark%%:*}" ] || { printf %s "${mark#*:}"; return; }
  done
}
)sh";

constexpr const char* kFinish = R"sh(
stash=
step=
finish() {
  put outcome "$1"
  put step "$step"
  put head "$(head_now)"
  put ref "$(ref_now)"
  put tip "$(tip_now)"
  put stash "$stash"
  printf 'done\0'
  exit 0
}
)sh";

// Words without anything that a shell would take for more than words: it splits them.
std::string safe_options() {
  return concat("safe='", join(safe_git_options(), " "), "'\n");
}

const char* yes_or_no(bool value) {
  return value ? "yes" : "no";
}

// Called where the branches must exist, so that it has to come before.
std::string backups_function(const std::vector<GitBackup>& backups) {
  std::string text = "backups() {\n:\n";
  for (const auto& [branch, commit] : backups) {
    text += concat(ShellText("backup").arg(branch).arg(commit).str(), "\n");
  }
  return text + "}\n";
}

}  // namespace

std::string shell_assignment(const char* name, const std::string& value) {
  return concat(name, "=", shell_quote(value), "\n");
}

std::string git_common_functions() {
  return concat(safe_options(), kCommon);
}

std::string git_apply_values(const GitApply& apply) {
  return concat(
      shell_assignment("place", apply.path), shell_assignment("commit", apply.commit),
      shell_assignment("branch", apply.branch),
      shell_assignment("make", yes_or_no(apply.make_repository)),
      shell_assignment("bare", yes_or_no(apply.bare)), shell_assignment("format", apply.format),
      shell_assignment("head", apply.head), shell_assignment("ref", apply.head_ref),
      shell_assignment("tip", apply.tip), shell_assignment("seen", apply.status),
      shell_assignment("transport", apply.transport), shell_assignment("remote", apply.remote),
      shell_assignment("on_dirty", apply.on_dirty),
      shell_assignment("lfs", yes_or_no(apply.fetch_lfs)), backups_function(apply.backups));
}

std::string git_finish_function() {
  return kFinish;
}

}  // namespace yonder::ops
