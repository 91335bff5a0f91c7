#include "sandbox/ssh_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::sandbox {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SshSettings, WhatWouldLeaveNoPipeIsPutBack) {
  EXPECT_THAT(pipe_overrides("host far\nsessiontype none\nstdinnull yes\n"),
              ElementsAre("-o", "SessionType=default", "-o", "StdinNull=no"));
  EXPECT_THAT(pipe_overrides("forkafterauthentication yes\nsessiontype subsystem\n"),
              ElementsAre("-o", "SessionType=default", "-o", "ForkAfterAuthentication=no"));
}

TEST(SshSettings, NothingIsSaidToAnSshThatDoesNotKnowIt) {
  EXPECT_THAT(pipe_overrides("host far\nport 22\n"), IsEmpty());
  EXPECT_THAT(pipe_overrides("sessiontype default\nstdinnull no\nforkafterauthentication no\n"),
              IsEmpty());
}

TEST(SshSettings, AreReadByTheirWholeName) {
  EXPECT_EQ(setting_in("host far\nciphers a,b\nport 22\n", "ciphers"), "a,b");
  EXPECT_EQ(setting_in("host ciphers\n", "ciphers"), "");
}

TEST(SshSettings, LeadToATargetByUserHostPortAndJump) {
  const std::string settings = "host box\nuser alice\nhostname 10.0.0.5\nport 22\n";
  EXPECT_EQ(target_in(settings), target_in(settings + "ciphers a,b\n"));
  for (const char* other :
       {"user bob\nhostname 10.0.0.5\nport 22\n", "user alice\nhostname 10.0.0.6\nport 22\n",
        "user alice\nhostname 10.0.0.5\nport 23\n",
        "user alice\nhostname 10.0.0.5\nport 22\nproxyjump gate\n",
        "user alice\nhostname 10.0.0.5\nport 22\nproxycommand nc\n"}) {
    EXPECT_NE(target_in(settings), target_in(other)) << other;
  }
}

}  // namespace
}  // namespace yonder::sandbox
