#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace yonder {

struct SpawnOptions {
  std::vector<std::string> argv;
  std::vector<std::string> environment;  // "NAME=value"; exactly these, nothing inherited
  bool new_session = true;               // no controlling terminal: Ctrl-C and prompts stay with us
};

// How a process ended; exactly one of the two is meaningful.
struct ExitStatus {
  bool signaled = false;
  int code = 0;  // the exit code, or the signal's number
  bool success() const { return !signaled && code == 0; }
};

// A child process with three pipes. It is killed and reaped when its owner dies, so none is left
// over.
class Subprocess {
 public:
  static Result<Subprocess> spawn(const SpawnOptions& options);

  Subprocess(Subprocess&& other) noexcept;
  Subprocess& operator=(Subprocess&& other) noexcept;
  Subprocess(const Subprocess&) = delete;
  Subprocess& operator=(const Subprocess&) = delete;
  ~Subprocess();

  Fd& input() { return input_; }
  Fd& output() { return output_; }
  Fd& errors() { return errors_; }
  pid_t pid() const { return pid_; }

  // To the whole group where it leads one: ssh may have a ProxyJump's ssh as its child.
  void signal(int number) const;
  // Nothing when it still runs at the deadline.
  std::optional<ExitStatus> wait(const Deadline& deadline);

 private:
  Subprocess(pid_t pid, bool leads_group, Fd input, Fd output, Fd errors)
      : pid_(pid),
        leads_group_(leads_group),
        input_(std::move(input)),
        output_(std::move(output)),
        errors_(std::move(errors)) {}
  void end();

  pid_t pid_ = -1;
  bool leads_group_ = false;
  std::optional<ExitStatus> status_;
  Fd input_;
  Fd output_;
  Fd errors_;
};

// Becomes another program, with our own descriptors and terminal. Returns only when it fails.
Error become_program(const SpawnOptions& options);

struct Captured {
  ExitStatus status;
  std::string out;
  std::string err;
};
// Runs a short helper program to its end. Output beyond `max_bytes` is an error, and so is the
// deadline; the program is killed then.
Result<Captured> run_captured(const SpawnOptions& options, std::string_view input,
                              std::size_t max_bytes, const Deadline& deadline);

}  // namespace yonder
