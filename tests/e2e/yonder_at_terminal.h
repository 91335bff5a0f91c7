#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/subprocess.h"

namespace yonder::e2e {

// The real command line in a terminal of its own, with the test as the person before it.
class YonderAtTerminal {
 public:
  YonderAtTerminal(const std::vector<std::string>& arguments,
                   const std::vector<std::string>& environment);
  YonderAtTerminal(const YonderAtTerminal&) = delete;
  YonderAtTerminal& operator=(const YonderAtTerminal&) = delete;
  ~YonderAtTerminal();

  // Waits until the terminal shows this, after what the last call has found. False when it does not
  // come.
  bool shows(std::string_view text);
  void type(std::string_view keys);
  // Reads on until the program has ended. A code of -1: it did not in time.
  ExitStatus finish();
  // Everything that was shown until now.
  const std::string& screen() const { return screen_; }

 private:
  bool read_more(const Deadline& deadline);

  pid_t pid_ = -1;
  Fd terminal_;
  std::string screen_;
  std::size_t looked_at_ = 0;
  std::optional<ExitStatus> status_;
};

}  // namespace yonder::e2e
