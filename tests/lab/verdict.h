#pragma once

namespace yonder::lab {

// What a test program exits with when all it had to do was skipped. CTest knows it from
// cmake/YonderTests.cmake: a word in the output would hide a failure.
inline constexpr int kSkippedStatus = 77;

// RUN_ALL_TESTS(), and the exit status that says what came of it.
int run_tests();

}  // namespace yonder::lab
