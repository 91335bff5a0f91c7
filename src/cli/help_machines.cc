#include "cli/help_text.h"

namespace yonder::cli {

std::string hosts_footer() {
  return R"(On a terminal: a table. In a pipe: one line for each sandbox without a header, its fields separated
by tabs, "-" for an empty one: name, backend, host, user, port, active ("*"), origin; with --check
also "ok", "failed" or "-" (not asked), the round trip in milliseconds, and the error; with
--resources instead of all that the columns of the table: name, how idle it is (0 to 1), load and
processors, memory used and total, disk free where commands start, and GPUs free and all.

--check and --resources ask those that are named, else all configured sandboxes and up to 32 aliases
from ~/.ssh/config, at once. They never ask for a password: `yonder login NAME` before. "?" is what
could not be measured; --json says why.
)";
}

std::string gpus_footer() {
  return R"text(One line for each GPU: how busy it is, who has it, with which run, since when. "free" can be had now
(`yonder run --gpus 1`); "(no lease)" is somebody who uses it without having asked for it; "for bob,
who waits" is kept for a run in the queue; "?" means that leases cannot be seen. Below it: the runs
that wait for GPUs, and the machines that could not be asked. Without names it asks all configured
sandboxes and up to 32 aliases from ~/.ssh/config; then, and with --wait, it never asks for a
password: `yonder login NAME` before. In a pipe: the lines of GPUs without a header, their fields
separated by tabs; the rest is on stderr.

Examples:
  yonder gpus
  yonder gpus gpu1 gpu2
  yonder run auto --gpus 2 --gpu-memory 20000 --when free --max-wait 12h -- ./train.sh

Exit status: 0, also when a machine does not answer; 255 when Yonder failed.
)text";
}

std::string top_footer() {
  return R"(A full screen that shows again and again: the machines with their load, memory, disk and GPUs (and how
busy those were at the last looks), the runs on them, and the transfers under way. A machine that
does not answer shows its last values with their age, and why. "?" is what could not be measured.

Keys: j and k or the arrows move, tab goes to the next pane, s to the next order, / asks for a filter
(esc clears it), enter on a run follows its log, ? shows all this, q quits.

With --once, or when stdout is no terminal, it prints what it sees at one look: of the machines that
answer within 2 seconds (or --wait). In a pipe: one line
for each machine, gpu, run and transfer, which begins with that word; fields are separated by tabs.
--json prints an object a line at each look, --json --once only one.

Without names it asks all configured sandboxes and up to 32 aliases from ~/.ssh/config. It never asks
for a password: `yonder login NAME` before.

Examples:
  yonder top
  yonder top --interval 10 gpu1 gpu2
  yonder top --once
  yonder top --json | jq -c '[.machines[] | {name, idle_score}]'

Exit status: 0, also when a machine does not answer; 255 when Yonder failed.
)";
}

}  // namespace yonder::cli
