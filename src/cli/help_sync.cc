#include "cli/help_text.h"

namespace yonder::cli {

std::string push_footer() {
  return R"(Brings REMOTE to the state of LOCAL: sends what differs, and nothing else. Each file appears whole or
not at all; modes, times and links are kept; a sync that was cut off goes on where it stopped. A file
goes into an existing directory under its own name; of several LOCAL each goes into REMOTE under its
own name.

The machine is named as NAME:REMOTE, with NAME before all paths, or with --sandbox NAME; without it
the active sandbox is meant. A colon before any slash ends NAME, as in scp: ./a:b is a file here, and
a name with colons stands in brackets, as in [::1]:exp.

Files that were changed over there since the last sync are not overwritten: they are reported, and
--on-conflict says what to do. What is replaced or removed is kept in a trash for a while. Left out
unless you ask for them: .git, node_modules and the like, and files that often hold secrets;
--exclude '!.env' brings those back.

Examples:
  yonder push . gpu1:~/exp                    this directory, over there
  yonder push . gpu1:~/exp --delete -n        what would be removed
  yonder push data.tar gpu1:/scratch/         one file, into a directory
  yonder push src data.tar gpu1:exp           exp/src and exp/data.tar
  yonder push . gpu1:~/exp --background       prints a number for `yonder transfers`

Exit status: 0 when everything is there; 1 when something failed or is in conflict; 2 when the
command line is wrong; 130 after Ctrl-C; 255 when Yonder failed.
)";
}

std::string pull_footer() {
  return R"(Brings LOCAL to the state of REMOTE; otherwise as `yonder push`.

Examples:
  yonder pull gpu1:~/exp/results results
  yonder pull gpu1:~/exp/results results --exclude '*.ckpt'
  yonder pull gpu1:a.log gpu2:b.log logs      logs/a.log and logs/b.log

Exit status: as of `yonder push`.
)";
}

std::string transfers_footer() {
  return R"(On a terminal: a table. In a pipe: one line for each transfer, its fields separated by tabs: number,
status, direction, sandbox, local path, remote path, files done, files in all, bytes done, bytes in
all. The status is queued, running, completed, incomplete (completed, but something failed or is in
conflict), failed or cancelled. They are kept for 30 days.

Exit status of `yonder transfers ID`: 0 when it is complete, 75 while it goes on, else 1.
)";
}

}  // namespace yonder::cli
