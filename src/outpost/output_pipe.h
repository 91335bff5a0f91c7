#pragma once

#include <sys/types.h>

#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::outpost {

// A pipe into which a command prints. What is no file cannot be cut by a command that opens
// /dev/stdout or /dev/stderr anew.
struct OutputPipe {
  Fd reader;  // non-blocking
  // For the command. It can be read from as well, so that the pipe has a reader as long as anybody
  // can print into it: nobody is ended by SIGPIPE when our processes are killed. Where /proc is not
  // mounted it can only be written to.
  Fd command;
};
Result<OutputPipe> make_output_pipe();

// The number by which /proc shows it; 0 for none.
std::uint64_t pipe_number(const Fd& pipe);

// The pipe of that number, opened anew by way of a process that has it. Empty: it has none that may
// be looked at.
Fd open_pipe_of(pid_t pid, std::uint64_t number, int flags);

}  // namespace yonder::outpost
