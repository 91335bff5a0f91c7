#include "cli/help_text.h"

namespace yonder::cli {

std::string hosts_footer() {
  return R"(On a terminal: a table. In a pipe: one line for each sandbox without a header, its fields separated
by tabs, "-" for an empty one: name, backend, host, user, port, active ("*"), origin; with --check
also "ok", "failed" or "-" (not asked), the round trip in milliseconds, and the error; with
--resources instead of all that the columns of the table: name, how idle it is (0 to 1), load and
processors, memory used and total, disk free where commands start, and GPUs free and all.

--check and --resources ask all configured sandboxes at once. Of the mere aliases from ~/.ssh/config
they ask only the active one: there may be a hundred. "?" is what could not be measured; --json says
why.
)";
}

std::string gpus_footer() {
  return R"(One line for each GPU: how busy it is, who has it, with which run, since when. "free" can be had now
(`yonder run --gpus 1`); bob (no lease) is somebody who uses it without having asked for it. Below
it: the runs that wait for GPUs, and the machines that could not be asked. In a pipe: the lines of GPUs
without a header, their fields separated by tabs;
  the rest is on stderr.

      Examples : yonder gpus yonder gpus gpu1 gpu2 yonder run auto --gpus 2 --gpu -
      memory 20000 --when free-- max -
      wait 12h --./ train.sh

                        Exit status : 0,
      also when a machine does not answer; 255 when Yonder failed.
)";
}

}  // namespace yonder::cli
