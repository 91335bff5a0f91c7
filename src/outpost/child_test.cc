#include "outpost/child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

namespace yonder::outpost {
namespace {

TEST(Child, HearsASignalWhileItLivesAndNobodyDoesAfterwards) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) {
    while (true) ::pause();
  }
  const Child child(pid);
  EXPECT_TRUE(child.signal(SIGKILL));
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, 0), pid);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(child.signal(0)) << "its number may belong to another process by now";
}

TEST(Child, ThatHadEndedBeforeIsNotLookedForByItsNumber) {
  const pid_t pid = ::fork();
  ASSERT_GE(pid, 0);
  if (pid == 0) ::_exit(0);
  ASSERT_EQ(::waitpid(pid, nullptr, 0), pid);
  EXPECT_FALSE(Child(pid).signal(0));
}

}  // namespace
}  // namespace yonder::outpost
