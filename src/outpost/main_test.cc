#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>
#include <string_view>

#include "outpost/command_process.h"
#include "outpost/launcher.h"
#include "outpost/supervisor.h"
#include "outpost/viewer.h"

using namespace yonder;

// Supervisors and login shells start this program again, as they start the outpost over there.
int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "enter" && argc == 3) return outpost::enter_command(outpost::RunRecord(argv[2]));
  if (verb == "supervise" && argc == 5) {
    return outpost::supervise_in_scope(outpost::RunRecord(argv[2]), Fd(std::atoi(argv[3])),
                                       Fd(std::atoi(argv[4])));
  }
  if (verb == "show" && (argc == 3 || argc == 4)) {
    return outpost::show_run(outpost::RunRecord(argv[2]), argc == 4 ? argv[3] : "");
  }
  ::signal(SIGPIPE, SIG_IGN);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
