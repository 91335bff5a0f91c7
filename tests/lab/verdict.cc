#include "lab/verdict.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace yonder::lab {
namespace {

pid_t running_tests = 0;

// Code that calls exit(0) ends its test before anything more is expected. A child of a test may.
void fail_when_left() {
  if (running_tests != ::getpid()) return;
  std::fputs("exit() was called in the middle of a test\n", stderr);
  ::_exit(1);
}

}  // namespace

int run_tests() {
  running_tests = ::getpid();
  std::atexit(fail_when_left);
  const int failed = RUN_ALL_TESTS();
  running_tests = 0;
  const auto& all = *::testing::UnitTest::GetInstance();
  if (failed != 0 || all.failed_test_count() > 0) return 1;
  if (all.test_to_run_count() == 0) {  // GoogleTest calls this a success
    std::fputs("no test was chosen: see --gtest_filter and GTEST_TOTAL_SHARDS\n", stderr);
    return 1;
  }
  return all.skipped_test_count() > 0 && all.successful_test_count() == 0 ? kSkippedStatus : 0;
}

}  // namespace yonder::lab
