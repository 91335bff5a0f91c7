#include "cli/help_text.h"

namespace yonder::cli {

std::string git_sync_footer() {
  return R"(Brings the checkout at REMOTE_PATH to the HEAD of the repository here, and makes it if there is none.
No hosting service is needed: what is missing over there goes through the link. Only commits travel.

It refuses, and changes nothing, when something over there would be lost, and says what:
  --on-dirty      uncommitted changes, and untracked files in the way: refuse, stash or reset
  --on-diverged   commits that exist only there: refuse, keep_branch (on yonder/backup-...) or reset

Examples:
  yonder git-sync gpu1:~/exp                           this branch, over there
  yonder git-sync gpu1:~/exp --commit v1.2             a tag: a detached HEAD over there
  yonder git-sync gpu1:~/exp --on-dirty stash          with the changes there put away
  yonder git-sync gpu1:~/exp --via remote              by git fetch over there, from its origin

Exit status: 0 when the checkout is at the commit; 1 when it was refused because of what is over
there; 2 when the command line is wrong; 130 after Ctrl-C; 255 when Yonder failed.
)";
}

}  // namespace yonder::cli
