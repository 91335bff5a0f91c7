#include "ops/git_sync_way.h"

namespace yonder::ops {
namespace {

constexpr const char* kWay = R"sh(
git() { command git $safe --literal-pathspecs "$@"; }
say() { printf '%s\0' "$1"; }
is_there() { [ -e "$1" ] || [ -L "$1" ]; }
is_directory() { [ -d "$1" ] && [ ! -L "$1" ]; }
holds_anything() { [ "$(ls -A -- "$1/" 2>&1 | head -c 1 | wc -c)" -ne 0 ]; }
# This very path, and not only something below it. Where case does not count, in any.
is_tracked() {
  [ "$(git ls-files -z -- "$1" | tr '\0' '\n')" = "$1" ] && return
  [ "$(git config --bool core.ignorecase)" = true ] &&
    [ "$(command git $safe --icase-pathspecs --glob-pathspecs ls-files -- "$1" | wc -l)" -eq 1 ]
}
kind_in_commit() { command git $safe cat-file -t "$commit:$1" 2>/dev/null; }
# A file or a link where a directory must be.
check_parents() {
  below=$path at=
  while :; do
    case $below in
      */*) at=$at${below%%/*} below=${below#*/} ;;
      *) return ;;
    esac
    is_there "$at" || return
    if ! is_directory "$at"; then
      is_tracked "$at" || say "$at"
      return
    fi
    at=$at/
  done
}
# A directory where a file must be: all of it would go. What git takes for a repository has a commit,
# and what has none yet is one too.
check_directory() {
  git ls-files -z --others -- "$path"
  find "$path" -name .git -prune -exec sh -c 'for at; do printf "%s/\0" "${at%/.git}"; done' sh {} +
  git ls-files -s -z -- "$path" | xargs -0 -r sh -c '
    for entry; do
      case $entry in 160000*) ;; *) continue ;; esac
      at=$(printf "%sx" "${entry#*	}")
      at=${at%x}
      [ "$(ls -A -- "$at/" 2>/dev/null | head -c 1 | wc -c)" -eq 0 ] || printf "%s/\0" "$at"
    done' sh
}
# A submodule that is only removed keeps its files. What takes its place would remove them.
check_submodule() {
  is_directory "$path" && holds_anything "$path" || return
  if [ "$new" != 000000 ] || [ "$(kind_in_commit "$path")" = tree ]; then say "$path/"; fi
}
while [ $# -gt 1 ]; do
  path=$2 old=${1%% *} new=${1#* }
  old=${old#:} new=${new%% *}
  shift 2
  [ "$old" != 160000 ] || [ "$new" = 160000 ] || check_submodule
  [ "$new" != 000000 ] || continue
  check_parents
  if is_directory "$path"; then
    [ "$new" = 160000 ] || [ "$old" = 160000 ] || check_directory
  elif [ "$old" = 000000 ] && is_there "$path"; then
    is_tracked "$path" || say "$path"
  fi
done
)sh";

}  // namespace

std::string git_way_script() {
  return kWay;
}

}  // namespace yonder::ops
