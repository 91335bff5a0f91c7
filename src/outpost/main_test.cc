#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string_view>

#include "outpost/command_process.h"
#include "outpost/supervisor.h"

using namespace yonder;

// Supervisors and login shells start this program again, as they start the outpost over there.
int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "enter" && argc == 3) return outpost::enter_command(outpost::RunRecord(argv[2]));
  ::signal(SIGPIPE, SIG_IGN);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
