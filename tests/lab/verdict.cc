#include "lab/verdict.h"

#include <gtest/gtest.h>

#include <cstdio>

namespace yonder::lab {

int run_tests() {
  const int failed = RUN_ALL_TESTS();
  const auto& all = *::testing::UnitTest::GetInstance();
  if (failed != 0 || all.failed_test_count() > 0) return 1;
  if (all.test_to_run_count() == 0) {  // GoogleTest calls this a success
    std::fputs("no test was chosen: see --gtest_filter and GTEST_TOTAL_SHARDS\n", stderr);
    return 1;
  }
  return all.skipped_test_count() > 0 && all.successful_test_count() == 0 ? kSkippedStatus : 0;
}

}  // namespace yonder::lab
