#include "ops/git_sync_script.h"

#include "base/text.h"
#include "ops/git_sync_moving.h"
#include "ops/git_sync_pieces.h"

namespace yonder::ops {
namespace {

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
if [ "$bare" != true ] && places && [ -e "$moving" ]; then
  state=$(moving_state)
  if [ -n "$state" ] && recall; then
    put moving "$state"
    put moving_host "$was_host"
    put moving_head "$was_head"
    put moving_commit "$was_commit"
    finish repository
  fi
fi
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

}  // namespace

std::string git_look_script(const GitLook& look) {
  return concat(shell_assignment("place", look.path), shell_assignment("commit", look.commit),
                shell_assignment("branch", look.branch), git_common_functions(),
                git_moving_functions(), kLook);
}

}  // namespace yonder::ops
