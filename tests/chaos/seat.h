#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "chaos/tally.h"
#include "e2e/mcp_client.h"

namespace yonder::chaos {

// A client's place: a `yonder mcp` that is started again after it was killed.
//
// Thread: its owner's, but for kill() and pid().
class Seat {
 public:
  // `line`: by which line it reaches the machines.
  Seat(std::vector<std::string> environment, std::size_t line, Tally& tally);

  std::size_t line() const { return line_; }

  // begin() and finish() are for two calls at once. Nothing arrives when it was killed meanwhile.
  int begin(const char* tool, const Json& arguments);
  e2e::Reply finish(int id, const Deadline& deadline);
  e2e::Reply call(const char* tool, const Json& arguments, const Deadline& deadline);

  // SIGKILL. False when there is no process.
  bool kill();
  pid_t pid() const;
  void close();

 private:
  struct Life {
    pid_t pid = -1;
    bool killed = false;
  };
  void sit_down();

  std::vector<std::string> environment_;
  std::size_t line_;
  Tally& tally_;
  std::unique_ptr<e2e::McpClient> client_;
  Guarded<Life> life_;
};

}  // namespace yonder::chaos
