#include <gtest/gtest.h>
#include <signal.h>

#include "lab/lab.h"
#include "lab/verdict.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  ::signal(SIGPIPE, SIG_IGN);  // a program may end before it has read what a test says to it
  // The build only lists the tests, possibly as another user than the one who runs them.
  if (!::testing::GTEST_FLAG(list_tests)) yonder::lab::Lab::enter();
  return yonder::lab::run_tests();
}
