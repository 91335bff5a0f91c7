#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/subprocess.h"

namespace yonder::e2e {

// The real command line, run to its end.
Captured run_yonder(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, std::string_view input = {});

// The same while the test looks on.
class RunningYonder {
 public:
  RunningYonder(const std::vector<std::string>& arguments,
                const std::vector<std::string>& environment);

  // The next line of its stdout, without the end; what there is when no more comes in time.
  std::string next_line();
  std::string next_error_line();
  void signal(int number) const { process_.signal(number); }
  Fd& input() { return process_.input(); }
  pid_t pid() const { return process_.pid(); }
  // What is left of its output, and how it ended. A code of -1: it did not end in time.
  Captured finish();

 private:
  Subprocess process_;
  std::string unread_;
  std::string unread_errors_;
};

}  // namespace yonder::e2e
