#include "base/text.h"
#include "ops/git_sync_moving.h"
#include "ops/git_sync_pieces.h"
#include "ops/git_sync_script.h"

namespace yonder::ops {
namespace {

// Of a move whose processes are gone.
constexpr const char* kSettle = R"sh(
exec </dev/null
unset $(git rev-parse --local-env-vars)
step='taking back what was left half done'
cd -- "$place" && places || finish changed
[ -e "$moving" ] || finish ok
command exec 9<"$moving" || finish ok
[ -z "$(holder 9>&-)" ] && [ /proc/self/fd/9 -ef "$moving" ] || finish moving
recall
if [ -z "$begun" ]; then
  release
  finish ok
fi
head=$was_head ref=$was_ref tip=$was_tip commit=$was_commit branch=$was_branch base=$was_base
stash=$was_stash
[ -z "$(busy_with)" ] || finish changed
drop_ref_locks
wanted=${branch:+refs/heads/$branch}
if [ "$(head_now)" = "$head" ] && [ "$(ref_now)" = "$ref" ]; then
  from=$(git rev-parse -q --verify "${head:-$(git hash-object -t tree /dev/null)}^{tree}") || finish half
  undo || finish half
elif [ "$(head_now)" = "$commit" ] && [ "$(ref_now)" = "$wanted" ]; then
  complete || finish half
else
  release  # the user has gone on from there
fi
finish ok
)sh";

constexpr const char* kWait = R"sh(
cd -- "$place" && places || exit 0
while [ -n "$(holder)" ]; do sleep 1; done
)sh";

}  // namespace

std::string git_settle_script(const std::string& path) {
  return concat(shell_assignment("place", path), "branch=\n", git_common_functions(),
                git_finish_function(), git_moving_functions(), git_undo_functions(), kSettle);
}

std::string git_wait_script(const std::string& path) {
  return concat(shell_assignment("place", path), git_common_functions(), git_moving_functions(),
                kWait);
}

}  // namespace yonder::ops
