#include "cli/help_text.h"

namespace yonder::cli {

std::string run_footer() {
  return R"(COMMAND: as with `yonder exec`, one word is a line for the shell over there, several words are a
program and its arguments. Its stdin is empty; stdout and stderr go to one log.

Prints the run's id, and nothing else, on stdout. The run goes on whatever happens to this
terminal, this machine and the connection.

Examples:
  id=$(yonder run gpu1 --cwd exp -- ./train.sh --epochs 90)
  yonder run --name nightly --timeout 36000 -- 'make clean && make -j8 check'
  yonder run auto --gpus 1 --when free -- ./train.sh   where a GPU is free, or in the queue for one
  yonder run --key data-v3 -- ./fetch.sh      run it again: the same run, not a second one

Exit status: 0 when it was started (or found, by --key); 2 when the command line is wrong; 74 when the
id could not be written to stdout, as on a full disk: then stderr has it; 127 when its program turned
out at once not to exist; 255 when nothing was started, or when the connection was lost before that
was seen: then the id is printed too, and `yonder wait ID` finds out.
)";
}

std::string ps_footer() {
  return R"(On a terminal: a table, with the beginnings of ids that are enough for other commands. In a pipe: one
line for each run without a header, its fields separated by tabs, "-" for an empty one: id, sandbox,
state, exit code, signal, when it was created (UTC), seconds it ran, session, the state it was last
seen in and when (both only when it cannot be seen now), command.

States: queued (it waits for GPUs, or is about to begin), running, exited, signaled (a signal ended
it), timed_out, stopped, refused (it never began), lost (its machine has booted since, or its record
is gone), unknown (its machine cannot be reached now).

Asks all configured sandboxes at once, and then never asks for a password: `yonder login NAME` before.
Of one that does not answer within 2 seconds (or --wait) it shows what was last seen.

Examples:
  yonder ps
  yonder ps gpu1 --all
  yonder ps | awk -F'\t' '$3 == "running" { print $1 }'

Exit status: 0, also when a sandbox does not answer; 255 when Yonder failed.
)";
}

std::string logs_footer() {
  return R"(In a pipe: all of the log, byte for byte; of a background run that has ended, the last line,
EXIT_CODE=n, is Yonder's. On a terminal: the last 50 lines, with colours but without what else a
terminal would obey. With --grep: every line that matches. With --json: the last 50 lines as clean
text, in the object that agents get. --lines and --since say otherwise.

--follow ends when the run has ended; a lost connection is made again, and nothing is missing or
shown twice. Ctrl-C leaves the run alone.

Examples:
  yonder logs r-7f3k                          or 7f3k: from four letters on, "r-" can go
  yonder logs -f nightly                      gpu1:nightly, where others have one too
  yonder logs --grep 'loss|error' r-7f3k
  yonder logs r-7f3k > train.log

Exit status: 0; 74 when the log cannot be written; 130 after Ctrl-C; 141 when whoever read our output
has gone; 255 when Yonder failed.
)";
}

std::string wait_footer() {
  return R"(Prints one line for each run: how it ended. Ctrl-C ends the waiting, not the runs.

Examples:
  yonder wait r-7f3k && yonder exec gpu1 -- tar c results | tar x
  yonder wait $first $second

Exit status: of one run, its own (128+n when signal n ended it, 124 at its --timeout); of several,
the first in their order that is not 0. Yonder's own:
  130  interrupted (128 + the signal's number); the runs go on
  255  a run is lost, or cannot be seen; stderr says why
)";
}

std::string stop_footer() {
  return R"(Sends the signal to everything that the run has started, also to what has left its process group,
and KILL after the grace. Prints one line for each run, of what was then seen. Several runs are
stopped at the same time.

Examples:
  yonder stop r-7f3k
  yonder stop --signal INT --grace 60 r-7f3k nightly

Exit status: 0 when all of it is gone, 1 when something still lives, 130 when it was interrupted
(128 + the signal's number), 255 when it could not be seen.
)";
}

std::string attach_footer() {
  return R"(Becomes `ssh -t ... tmux`: a tmux session, named after the run, that shows the run's log as it grows. It is
only a view: nothing that is typed there reaches the run. Leave it with tmux's own key (Ctrl-B d), or
close it with Ctrl-C; the run goes on, and `yonder attach` opens the view again. On a machine without
tmux the terminal itself shows the log. With --json: prints the words of that command instead.

Example:
  yonder attach nightly

Exit status: that of ssh; 255 when there is nothing to attach to.
)";
}

std::string rm_footer() {
  return R"(Removes their records, with the logs in them, here and over there. A run that lives is refused: stop
it first.

Example:
  yonder rm r-7f3k r-qm2d

Exit status: 0 when all are forgotten, 1 when one of them lives, 255 when Yonder failed.
)";
}

}  // namespace yonder::cli
