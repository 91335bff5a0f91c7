#include <gtest/gtest.h>

#include "lab/guard.h"
#include "lab/session.h"
#include "lab/verdict.h"

int main(int argc, char** argv) {
  yonder::lab::forget_the_session();
  ::testing::InitGoogleTest(&argc, argv);
  if (!::testing::GTEST_FLAG(list_tests)) yonder::lab::guard_this_process();
  return yonder::lab::run_tests();
}
