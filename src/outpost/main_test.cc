#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "base/text.h"
#include "lab/guard.h"
#include "lab/session.h"
#include "lab/verdict.h"
#include "outpost/helpers.h"

using namespace yonder;

TEST(OutpostTests, LeaveNothingBehindWhenTheyAreKilled) {
  // Who that is ends all that a test has started: see tests/lab/guard.h.
  if (::getenv("YONDER_UNGUARDED") != nullptr) GTEST_SKIP() << "not guarded, as was asked for";
  std::string name;
  std::getline(std::ifstream(concat("/proc/", ::getppid(), "/comm")), name);
  EXPECT_EQ(name, "yonder-lab-keep");
}

// Supervisors and login shells start this program again, as they start the outpost over there.
int main(int argc, char** argv) {
  // At once: a leak check at the end is one more process, and that would be the run's.
  if (const auto code = outpost::run_as_helper(argc, argv)) ::_exit(*code);
  lab::forget_the_session();
  ::signal(SIGPIPE, SIG_IGN);
  ::testing::InitGoogleTest(&argc, argv);
  if (!::testing::GTEST_FLAG(list_tests)) lab::guard_this_process();
  return lab::run_tests();
}
