#include <gtest/gtest.h>

#include "lab/lab.h"

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  // The build only lists the tests, possibly as another user than the one who runs them.
  if (!::testing::GTEST_FLAG(list_tests)) yonder::lab::Lab::enter();
  return RUN_ALL_TESTS();
}
