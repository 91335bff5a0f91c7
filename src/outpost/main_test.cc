#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "lab/session.h"
#include "lab/verdict.h"
#include "outpost/helpers.h"

using namespace yonder;

// Supervisors and login shells start this program again, as they start the outpost over there.
int main(int argc, char** argv) {
  // At once: a leak check at the end is one more process, and that would be the run's.
  if (const auto code = outpost::run_as_helper(argc, argv)) ::_exit(*code);
  lab::forget_the_session();
  ::signal(SIGPIPE, SIG_IGN);
  ::testing::InitGoogleTest(&argc, argv);
  return lab::run_tests();
}
