#include "base/text.h"
#include "ops/git_sync_moving.h"
#include "ops/git_sync_pieces.h"
#include "ops/git_sync_script.h"
#include "ops/git_sync_way.h"

namespace yonder::ops {
namespace {

constexpr const char* kApply = R"sh(
backup() {
  step='keeping the old commits on a branch'
  [ "$(git rev-parse -q --verify "refs/heads/$1" 2>/dev/null)" = "$2" ] ||
    git update-ref -m 'yonder: backup' "refs/heads/$1" "$2" '' >&2 || give_up failed
}
# What the commit would overwrite or remove, and git does not have: a path for each.
in_the_way() {
  git diff-tree -r -z --raw --no-renames "$from" "$commit" -- >"$own_list.raw" &&
    xargs -0 -r -n 1000 sh -c "safe='$safe' commit=$commit
$way_of_pairs" sh <"$own_list.raw"
}
# A repository, as a path that ends in a slash: git could only take it away with its commits.
has_repository() { tr '\0\n' '\n\0' | grep -q '/$'; }
as_seen() {
  [ "$(head_now)" = "$head" ] && [ "$(ref_now)" = "$ref" ] && [ "$(tip_now)" = "$tip" ] &&
    [ -z "$(busy_with)" ] || return 1
  [ "$bare" = no ] || return 0
  if [ -z "$seen" ]; then
    now=$(changes) && [ -z "$now" ]
  else
    [ "$(changes -z | git hash-object --stdin)" = "$seen" ]
  fi
}
# Before anything has begun.
give_up() {
  [ "$bare" = yes ] || release
  finish "$1"
}
# And after that: what was done is taken back, or will be by the next call.
fail() {
  undo || finish half
  finish failed
}
begin() {
  places || finish failed
  mask=$(umask)
  umask 077
  set -C
  command exec 9>"$moving" || { [ -e "$moving" ] && finish moving || finish failed; }
  set +C
  umask "$mask"
  lock_index || give_up locked
}
# As `git stash` would, which can neither do without a commit nor take single untracked files. The
# index of ours has all of it then, and so has `base`.
put_away() {
  if ! git var GIT_COMMITTER_IDENT >/dev/null 2>&1; then
    GIT_AUTHOR_NAME=yonder GIT_AUTHOR_EMAIL=yonder@localhost
    GIT_COMMITTER_NAME=yonder GIT_COMMITTER_EMAIL=yonder@localhost
    export GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL
  fi
  parent=$head
  [ -n "$head" ] || parent=$(git commit-tree -m 'yonder: no commit yet' "$from") || return
  staged=$(git write-tree) && staged=$(git commit-tree -p "$parent" -m 'yonder: index' "$staged") ||
    return
  git diff-index -z --name-only --no-renames --ignore-submodules=all "$from" -- |
    git update-index -z --add --remove --replace --stdin || return
  tracked=$(git write-tree) || return
  untracked=
  if [ -s "$own_list" ]; then
    git update-index -z --add --replace --stdin <"$own_list" || return
    untracked=$(GIT_INDEX_FILE=$own_index.other && export GIT_INDEX_FILE &&
      git update-index -z --add --stdin <"$own_list" && git write-tree)
    rm -f -- "$own_index.other"
    [ -n "$untracked" ] && untracked=$(git commit-tree -m 'yonder: untracked files' "$untracked") ||
      return
  fi
  git update-index -q --refresh >/dev/null
  base=$(git write-tree) &&
    stash=$(git commit-tree -p "$parent" -p "$staged" ${untracked:+-p} $untracked \
      -m "yonder: before $commit" "$tracked")
}
# From what was put away, which is not what HEAD has.
check_out_from_base() {
  git read-tree -m -u "$base" "$commit" || return
  if [ -n "$branch" ]; then
    git update-ref -m 'yonder git-sync' "refs/heads/$branch" "$commit" "$tip" &&
      git symbolic-ref -m 'yonder git-sync' HEAD "refs/heads/$branch"
  else
    git update-ref --no-deref -m 'yonder git-sync' HEAD "$commit"
  fi
}
check_out() {
  if [ "$base" != "$from" ]; then
    check_out_from_base >&2
  elif [ -n "$branch" ]; then
    git checkout -q $force -B "$branch" "$commit" -- >&2
  else
    git -c advice.detachedHead=false checkout -q $force --detach "$commit" -- >&2
  fi
  code=$?
  [ "$code" = 0 ] || drop_ref_locks  # it may have been killed
  [ "$code" = 0 ] || [ "$head" != "$commit" ] || return  # HEAD would not tell
  [ "$(head_now)" = "$commit" ] && [ "$(ref_now)" = "${branch:+refs/heads/$branch}" ]
}
exec </dev/null
unset $(git rev-parse --local-env-vars)
cd -- "$place" || finish changed
if [ "$bare" = yes ]; then
  use_bare
  as_seen || finish changed
  backups
  step='moving the branch'
  git update-ref -m 'yonder git-sync' "refs/heads/$branch" "$commit" "$tip" >&2 || finish failed
  [ "$(tip_now)" = "$commit" ] || finish failed
  [ "$transport" != pack ] || git gc --auto -q >/dev/null 2>&1
  finish ok
fi
step='beginning'
begin
[ "$make" = no ] || ref=$(ref_now)
as_seen || give_up changed
step='looking for files in the way'
from=$(git rev-parse -q --verify "${head:-$(git hash-object -t tree /dev/null)}^{tree}") || give_up failed
base=$from
force=--no-overwrite-ignore
in_the_way >"$own_list" || give_up failed
if [ -s "$own_list" ]; then
  printf 'in_the_way\0'
  head -c 65536 "$own_list"
  printf '\0\0'
  ! has_repository <"$own_list" || give_up blocked
  [ "$on_dirty" != refuse ] || give_up blocked
elif [ -n "$seen" ]; then
  [ "$on_dirty" != refuse ] || give_up changed
fi
backups
if [ -e "$at/index" ]; then cp -p -- "$at/index" "$own_index" || give_up failed; fi
GIT_INDEX_FILE=$own_index
export GIT_INDEX_FILE
[ "$on_dirty" != reset ] || force=-f
if [ "$on_dirty" = stash ] && { [ -n "$seen" ] || [ -s "$own_list" ]; }; then
  step='stashing the changes'
  put_away >&2 || { stash= && give_up failed; }
fi
if [ "$lfs" = no ]; then
  GIT_LFS_SKIP_SMUDGE=1
  export GIT_LFS_SKIP_SMUDGE
fi
note || give_up failed
[ -z "$stash" ] || git stash store -q -m "yonder: before $commit" "$stash" >&2 || fail
step='checking the commit out'
check_out || fail
put code "$code"
complete || finish half
# As after every fetch: else small packs pile up.
[ "$transport" != pack ] || git gc --auto -q >/dev/null 2>&1
finish ok
)sh";

}  // namespace

std::string git_apply_script(const GitApply& apply) {
  return concat(git_apply_values(apply), shell_assignment("way_of_pairs", git_way_script()),
                git_common_functions(), git_finish_function(), git_moving_functions(),
                git_undo_functions(), kApply);
}

}  // namespace yonder::ops
