#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "outpost/command_process.h"
#include "outpost/launcher.h"
#include "outpost/machine.h"
#include "outpost/run_record.h"
#include "outpost/self.h"
#include "outpost/serve.h"
#include "outpost/viewer.h"

using namespace yonder;

// The far side program. Started by Yonder alone:
//   outpost check HASH          says "whole HASH" when this file is
//   outpost serve NONCE HASH    speaks with the near side over stdin and stdout
//   outpost enter DIR           becomes a run's command, from inside a login shell
//   outpost supervise DIR L C   becomes a run's supervisor, from inside a scope of systemd
//   outpost show DIR [NAME]     shows a run's log, in a tmux session of that name
int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "check" && argc == 3) {
    // In words: a shell also "runs" an empty file, or one full of zeros, with success.
    const bool whole = outpost::is_whole(argv[2]);
    if (whole) std::printf("whole %s\n", argv[2]);
    return whole ? 0 : 1;
  }
  if (verb == "enter" && argc == 3) return outpost::enter_command(outpost::RunRecord(argv[2]));
  if (verb == "supervise" && argc == 5) {
    return outpost::supervise_in_scope(outpost::RunRecord(argv[2]), Fd(std::atoi(argv[3])),
                                       Fd(std::atoi(argv[4])));
  }
  if (verb == "show" && (argc == 3 || argc == 4)) {
    return outpost::show_run(outpost::RunRecord(argv[2]), argc == 4 ? argv[3] : "");
  }
  if (verb == "serve" && argc == 4) {
    ::signal(SIGPIPE, SIG_IGN);
    ::signal(SIGCHLD, SIG_IGN);  // supervisors are not waited for
    return outpost::serve({.nonce = argv[2], .build = argv[3], .around = outpost::look_around()},
                          Fd(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)),
                          Fd(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)));
  }
  std::fputs("This program belongs to yonder, which starts it by itself.\n", stderr);
  return 2;
}
