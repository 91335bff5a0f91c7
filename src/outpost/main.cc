#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "outpost/helpers.h"
#include "outpost/machine.h"
#include "outpost/self.h"
#include "outpost/serve.h"

using namespace yonder;

// The far side program. Started by Yonder alone:
//   outpost check HASH          says "whole HASH" when this file is
//   outpost serve NONCE HASH    speaks with the near side over stdin and stdout
// and by itself, for the processes of helpers.h.
int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "check" && argc == 3) {
    // In words: a shell also "runs" an empty file, or one full of zeros, with success.
    const bool whole = outpost::is_whole(argv[2]);
    if (whole) std::printf("whole %s\n", argv[2]);
    return whole ? 0 : 1;
  }
  if (const auto code = outpost::run_as_helper(argc, argv)) return *code;
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
