#include "ops/exec.h"

#include <gmock/gmock.h>

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(NotFoundHint, NamesTheLoginShellForAProgramThatWasNotFound) {
  RunStatus status;
  status.state = RunState::Exited;
  status.exit_code = 127;
  EXPECT_THAT(not_found_hint(status, false), HasSubstr("--login"));
  EXPECT_THAT(not_found_hint(status, true), IsEmpty()) << "it was the login shell's environment";
  status.exit_code = 126;
  EXPECT_THAT(not_found_hint(status, false), IsEmpty());
}

}  // namespace
}  // namespace yonder::ops
