#include "ops/git_sync_moving.h"

namespace yonder::ops {
namespace {

constexpr const char* kMoving = R"sh(
places() {
  at=$(git rev-parse --absolute-git-dir) || return
  moving=$at/yonder-moving own_index=$at/yonder-index own_list=$at/yonder-list
}
boot_now() { cat /proc/sys/kernel/random/boot_id 2>/dev/null; }
pids_now() { readlink /proc/self/ns/pid 2>/dev/null; }
# A process of the move: all of them have the file open as 9, git and its filters too.
holder() {
  for each in /proc/[0-9]*/fd/9; do
    [ "$each" -ef "$moving" ] || continue
    each=${each#/proc/}
    each=${each%%/*}
    [ "$each" = $$ ] || { printf %s "$each"; return; }
  done
}
# Only what is complete was begun.
recall() {
  was_host= was_boot= was_pids= was_head= was_ref= was_tip= was_commit= was_branch= was_base=
  was_stash= begun=
  while IFS=' ' read -r key value; do
    case $key in
      host) was_host=$value ;;
      boot) was_boot=$value ;;
      pids) was_pids=$value ;;
      head) was_head=$value ;;
      ref) was_ref=$value ;;
      tip) was_tip=$value ;;
      commit) was_commit=$value ;;
      branch) was_branch=$value ;;
      base) was_base=$value ;;
      stash) was_stash=$value ;;
      begun) begun=yes ;;
    esac
  done <"$moving"
}
note() {
  printf '%s\n' 'yonder moving 1' "host $(uname -n)" "boot $(boot_now)" "pids $(pids_now)" \
    "head $head" "ref $ref" "tip $tip" "commit $commit" "branch $branch" "base $base" \
    "stash $stash" begun >&9
}
# Of a move: going; left, its processes are gone; away, whether they are cannot be seen from here.
moving_state() {
  [ -e "$moving" ] || return 0
  [ -z "$(holder)" ] || { printf going; return; }
  recall 2>/dev/null || return 0
  if [ -z "$begun" ] || { [ "$was_boot" = "$(boot_now)" ] && [ "$was_pids" = "$(pids_now)" ]; } ||
    { [ "$was_boot" != "$(boot_now)" ] && [ "$was_host" = "$(uname -n)" ]; }; then
    printf left
  else
    printf away
  fi
}
# git is kept away from the index by its own means; what the file says tells ours from others.
lock_index() { (umask 077; set -C; echo yonder >"$at/index.lock"); }
index_is_ours() { [ "$(head -c 6 "$at/index.lock" 2>/dev/null | tr '\0' .)" = yonder ]; }
# A reference that git was writing when it was ended.
drop_lock() {
  [ -e "$1" ] && [ -n "$(find "$1" -newer "$moving" 2>/dev/null)" ] || return 0
  before=$(ls -i -- "$1" 2>/dev/null)
  sleep 1
  [ "$(ls -i -- "$1" 2>/dev/null)" != "$before" ] || rm -f -- "$1"
}
drop_ref_locks() {
  drop_lock "$at/HEAD.lock"
  [ -z "$branch" ] || drop_lock "$(git rev-parse --git-path "refs/heads/$branch").lock"
}
# The last step of all: after it, there was no move.
release() {
  unset GIT_INDEX_FILE
  rm -f -- "$own_index" "$own_index.lock" "$own_index.other" "$own_index.other.lock" \
    "$own_list" "$own_list.raw"
  ! index_is_ours || rm -f -- "$at/index.lock"
  rm -f -- "$moving"
  exec 9>&-
}
# It is moved, and the index is to follow.
complete() {
  unset GIT_INDEX_FILE
  if index_is_ours && [ -e "$own_index" ]; then mv -f -- "$own_index" "$at/index" || return; fi
  release
}
)sh";

constexpr const char* kUndo = R"sh(
with_paths() { xargs -0 -r git $safe --literal-pathspecs "$@"; }
# Everything that the move may have touched.
touched() {
  git diff-tree -r -z --name-only --no-renames "$from" "$commit" --
  [ "$base" = "$from" ] || git diff-tree -r -z --name-only --no-renames "$from" "$base" --
}
differing() { git diff-files -z --name-only --no-renames --ignore-submodules=dirty "$@"; }
# Files that are not what the index has.
undescribed() {
  git update-index -q --refresh >/dev/null 2>&1
  {
    differing | xargs -0 -r sh -c 'for path; do
      if [ -f "$path" ] || [ -L "$path" ]; then printf "%s\0" "$path"; fi
    done' sh
    touched | with_paths ls-files -z --others --
  } >"$own_list"
}
describe_by() { with_paths reset -q "$1" -- <"$own_list" >&2; }
# The beginning of what the move was writing when it was ended.
part_of_a_file='
git() { command git $safe "$@"; }
id() { git rev-parse -q --verify "$1:$path" 2>/dev/null; }
sum() { git hash-object --no-filters --stdin; }
is_part() {
  [ -f "$path" ] && [ ! -L "$path" ] || return
  [ "$(id "$commit")" != "$(id "$base")" ] || [ "$(id "$from")" != "$(id "$base")" ] || return
  size=$(($(wc -c <"$path")))
  found=$(sum <"$path") || return
  for each in "$commit" "$from" "$base"; do
    git cat-file -e "$each:$path" 2>/dev/null || continue
    [ "$(git cat-file --filters "$each:$path" 2>/dev/null | head -c "$size" | sum)" = "$found" ] &&
      return
  done
  return 1
}
for path; do ! is_part || rm -f -- "$path"; done'
# The index of ours becomes what is there, path by path: of the old state, of the commit, or of what
# was put away. Whatever else stands somewhere is of the user, and stays.
describe() {
  git read-tree --reset "$base" >&2 || return
  undescribed && describe_by "$from"
  undescribed && describe_by "$commit"
  undescribed
  xargs -0 -r sh -c "safe='$safe' commit=$commit from=$from base=$base
$part_of_a_file" sh <"$own_list"
  describe_by "$base"
  differing --diff-filter=D | git update-index -z --force-remove --stdin
}
undo_files() {
  rm -f -- "$own_index" "$own_index.lock"
  # With its time: by that, git tells which files may have changed within a second.
  [ ! -e "$at/index" ] || cp -p -- "$at/index" "$own_index" || return
  GIT_INDEX_FILE=$own_index
  export GIT_INDEX_FILE
  describe && mixed=$(git write-tree) && git read-tree -m -u "$mixed" "$base" >&2
}
# Nothing else stands where something was put away.
is_restored() { [ "$(differing | head -c 1 | wc -c)" -eq 0 ]; }
undo_branch() {
  [ -n "$branch" ] && [ "$(ref_now)" != "refs/heads/$branch" ] || return 0
  [ "$(tip_now)" = "$commit" ] && [ "$tip" != "$commit" ] || return 0
  if [ -n "$tip" ]; then
    git update-ref -m 'yonder: not moved' "refs/heads/$branch" "$tip" "$commit" >&2
  else
    git update-ref -d "refs/heads/$branch" "$commit" >&2
  fi
}
undo() {
  index_is_ours || lock_index || return
  undo_files || return
  kept=$stash
  ! is_restored || stash=
  unset GIT_INDEX_FILE
  undo_branch || return
  if [ -z "$stash" ] && [ -n "$kept" ] &&
    [ "$(git rev-parse -q --verify refs/stash)" = "$kept" ]; then
    git stash drop -q >&2 || return
  fi
  release
  git update-index -q --refresh >/dev/null 2>&1
}
)sh";

}  // namespace

std::string git_moving_functions() {
  return kMoving;
}

std::string git_undo_functions() {
  return kUndo;
}

}  // namespace yonder::ops
