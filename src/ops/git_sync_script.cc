#include "ops/git_sync_script.h"

#include "base/quote.h"
#include "base/text.h"
#include "ops/git_safety.h"
#include "ops/git_sync_way.h"

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

constexpr const char* kLook = R"sh(
finish() { put state "$1"; printf 'done\0'; exit 0; }
# A path may end in newlines, which $(...) would drop.
physical() { place=$(pwd -P && printf x); place=${place%?x}; }
# A look fetches nothing that a partial clone lacks.
GIT_OPTIONAL_LOCKS=0 GIT_NO_LAZY_FETCH=1 GIT_ALLOW_PROTOCOL=
export GIT_OPTIONAL_LOCKS GIT_NO_LAZY_FETCH GIT_ALLOW_PROTOCOL
put path "$place"
case $place in
  /*) ;;
  '~' | '~/'*) [ -n "${HOME-}" ] || finish no_home ;;
  *) [ -n "${HOME-}" ] || [ "$PWD" != / ] || finish no_home ;;
esac
case $place in
  '~') place=$HOME ;;
  '~/'*) place=$HOME/${place#??} ;;
  /*) ;;
  *) place=$PWD/$place ;;
esac
put path "$place"
command git --version >/dev/null 2>&1 || finish no_git
unset $(git rev-parse --local-env-vars)
put version "$(git --version)"
[ -e "$place" ] || [ -L "$place" ] || finish missing
[ -d "$place" ] || finish file
cd -- "$place" 2>/dev/null && [ -r . ] || finish denied
physical
put path "$place"
if is_bare; then
  use_bare
elif [ ! -e .git ]; then
  ! is_empty || finish empty
  put inside "$(git rev-parse --show-toplevel 2>/dev/null)"
  finish foreign
fi
if ! why=$(git rev-parse --git-dir 2>&1); then
  put why "$why"
  finish broken
fi
[ -z "$(git rev-parse --show-cdup)" ] || finish broken
bare=$(git rev-parse --is-bare-repository)
head=$(head_now)
ref=$(ref_now)
tip=$(tip_now)
put bare "$bare"
put format "$(git rev-parse --show-object-format 2>/dev/null)"
put head "$head"
put ref "$ref"
put tip "$tip"
put busy "$(busy_with)"
if [ -n "$branch" ] && { [ "$bare" = true ] || [ "$ref" != "refs/heads/$branch" ]; }; then
  git worktree list --porcelain 2>/dev/null | while IFS= read -r line; do
    case $line in
      'worktree '*) at=${line#worktree } ;;
      "branch refs/heads/$branch") [ "$at" = "$place" ] || put elsewhere "$at" ;;
    esac
  done
fi
# What no branch would hold any more: that of the branch, and that of a HEAD without one. Each has a
# list of its own: in one by date, the old commits of one would be hidden behind the other's.
risk=$tip
[ -n "$ref" ] || [ "$bare" = true ] || risk="$risk $head"
left_behind() { for start in $risk; do git rev-list -n 100 --format=%s "$start" "$@" --; done; }
if has_all; then
  put has yes
  put history "$(left_behind --not "$commit")"
else
  put history "$(left_behind)"
  [ -z "$head" ] || put more "$(git rev-list -n 100 "$head" --)"
  put refs "$(git for-each-ref --count=100 --sort=-committerdate \
    --format='%(objectname) %(*objectname)')"
  if [ "$(git rev-parse --is-shallow-repository)" = true ]; then
    put shallow "$(head -n 2000 "$(git rev-parse --git-path shallow)")"
  fi
fi
if [ "$bare" != true ]; then
  printf 'changes\0'
  changes -z || why=status
  printf '\0'
  [ "$why" != status ] || { put why 'git status failed'; finish broken; }
fi
finish repository
)sh";

constexpr const char* kApply = R"sh(
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
# Put back what was put away for nothing.
fail() {
  if [ -n "$stash" ] && git stash pop -q --index >&2; then stash=; fi
  finish failed
}
backup() {
  step='keeping the old commits on a branch'
  [ "$(git rev-parse -q --verify "refs/heads/$1" 2>/dev/null)" = "$2" ] ||
    git update-ref -m 'yonder: backup' "refs/heads/$1" "$2" '' >&2 || fail
}
# What the commit would overwrite or remove, and git does not have: a path for each.
in_the_way() {
  git diff-tree -r -z --raw --no-renames "$from" "$commit" -- |
    xargs -0 -r -n 1000 sh -c "safe='$safe' commit=$commit
$way_of_pairs" sh
}
# A repository, as a path that ends in a slash: git could only take it away with its commits.
has_repository() { tr '\0\n' '\n\0' | grep -q '/$'; }
as_seen() {
  [ "$(head_now)" = "$head" ] && [ "$(ref_now)" = "$ref" ] && [ "$(tip_now)" = "$tip" ] &&
    [ -z "$(busy_with)" ] || return 1
  [ "$bare" = no ] || return 0
  if [ -z "$seen" ]; then
    [ -z "$(changes)" ]
  else
    [ "$(changes -z | git hash-object --stdin)" = "$seen" ]
  fi
}
exec 3<&0 </dev/null
unset $(git rev-parse --local-env-vars)
if [ "$make" = yes ]; then
  step='making the repository'
  mkdir -p -- "$place" && cd -- "$place" || finish failed
  is_empty || finish changed
  GIT_DEFAULT_HASH=$format git init -q . >&2 || finish failed
  if [ "$format" = sha256 ] && [ "$(git rev-parse --show-object-format)" != sha256 ]; then
    finish too_old
  fi
  [ -z "$branch" ] || git symbolic-ref HEAD "refs/heads/$branch" || finish failed
else
  cd -- "$place" || finish changed
  [ "$bare" = no ] || use_bare
fi
case $transport in
  pack)
    step='taking the objects'
    git index-pack --stdin --fix-thin <&3 >/dev/null || finish failed
    has_all || finish incomplete
    ;;
  remote)
    step="fetching from $remote"
    git config --get "remote.$remote.url" >/dev/null || finish no_remote
    if [ -z "${GIT_SSH_COMMAND-}${GIT_SSH-}" ] && ! git config --get core.sshCommand >/dev/null; then
      GIT_SSH_COMMAND='ssh -oBatchMode=yes'
      export GIT_SSH_COMMAND
    fi
    git fetch -q --no-recurse-submodules -- "$remote" >&2 || finish failed
    has_all || git fetch -q --no-recurse-submodules -- "$remote" "$commit" >/dev/null 2>&1
    has_all || finish not_on_remote
    ;;
esac
exec 3<&-
[ "$make" = yes ] || as_seen || finish changed
force=--no-overwrite-ignore
untracked=
if [ "$bare" = no ] && [ "$make" = no ]; then
  step='looking for files in the way'
  from=${head:-$(git hash-object -t tree /dev/null)}
  if [ "$(in_the_way | wc -c)" -gt 0 ]; then
    printf 'in_the_way\0'
    in_the_way | head -c 65536
    printf '\0\0'
    ! in_the_way | has_repository || finish blocked
    case $on_dirty in
      stash) untracked=-u ;;
      reset) force=-f ;;
      *) finish blocked ;;
    esac
  fi
fi
backups
if [ -n "$seen$untracked" ]; then
  case $on_dirty in
    stash)
      step='stashing the changes'
      if ! git var GIT_COMMITTER_IDENT >/dev/null 2>&1; then
        GIT_AUTHOR_NAME=yonder GIT_AUTHOR_EMAIL=yonder@localhost
        GIT_COMMITTER_NAME=yonder GIT_COMMITTER_EMAIL=yonder@localhost
        export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
      fi
      before=$(git rev-parse -q --verify refs/stash)
      git stash push -q $untracked -m "yonder: before $commit" >&2 || finish failed
      stash=$(git rev-parse -q --verify refs/stash)
      [ "$stash" != "$before" ] || stash=
      ;;
    reset) force=-f ;;
    *) finish changed ;;
  esac
fi
if [ "$lfs" = no ]; then
  GIT_LFS_SKIP_SMUDGE=1
  export GIT_LFS_SKIP_SMUDGE
fi
if [ "$bare" = yes ]; then
  step='moving the branch'
  git update-ref -m 'yonder git-sync' "refs/heads/$branch" "$commit" "$tip" >&2 || fail
  [ "$(tip_now)" = "$commit" ] || fail
elif [ -n "$branch" ]; then
  step='checking the commit out'
  git checkout -q $force -B "$branch" "$commit" -- >&2
  code=$?
  [ "$(head_now)" = "$commit" ] && [ "$(ref_now)" = "refs/heads/$branch" ] || fail
  put code "$code"
else
  step='checking the commit out'
  git -c advice.detachedHead=false checkout -q $force --detach "$commit" -- >&2
  code=$?
  [ "$(head_now)" = "$commit" ] && [ -z "$(ref_now)" ] || fail
  put code "$code"
fi
# As after every fetch: else small packs pile up.
[ "$transport" != pack ] || git gc --auto -q >/dev/null 2>&1
finish ok
)sh";

// Words without anything that a shell would take for more than words: it splits them.
std::string safe_options() {
  return concat("safe='", join(safe_git_options(), " "), "'\n");
}

std::string assign(const char* name, const std::string& value) {
  return concat(name, "=", shell_quote(value), "\n");
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

std::string git_look_script(const GitLook& look) {
  return concat(assign("place", look.path), assign("commit", look.commit),
                assign("branch", look.branch), safe_options(), kCommon, kLook);
}

std::string git_apply_script(const GitApply& apply) {
  return concat(assign("place", apply.path), assign("commit", apply.commit),
                assign("branch", apply.branch), assign("make", yes_or_no(apply.make_repository)),
                assign("bare", yes_or_no(apply.bare)), assign("format", apply.format),
                assign("head", apply.head), assign("ref", apply.head_ref), assign("tip", apply.tip),
                assign("seen", apply.status), assign("transport", apply.transport),
                assign("remote", apply.remote), assign("on_dirty", apply.on_dirty),
                assign("lfs", yes_or_no(apply.fetch_lfs)), backups_function(apply.backups),
                safe_options(), assign("way_of_pairs", git_way_script()), kCommon, kApply);
}

}  // namespace yonder::ops
