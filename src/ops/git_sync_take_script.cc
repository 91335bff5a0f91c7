#include "base/text.h"
#include "ops/git_sync_pieces.h"
#include "ops/git_sync_script.h"

namespace yonder::ops {
namespace {

constexpr const char* kTake = R"sh(
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
finish ok
)sh";

}  // namespace

std::string git_take_script(const GitApply& apply) {
  return concat(git_apply_values(apply), git_common_functions(), git_finish_function(), kTake);
}

}  // namespace yonder::ops
