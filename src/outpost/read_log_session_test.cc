#include "outpost/read_log_session.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

#include "base/scratch_test.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

TEST(SessionLives, OnlyUnderExactlyThisName) {
  EXPECT_EQ(session_lives("train", true, "train-2\nother\n", ""), false);
  EXPECT_EQ(session_lives("train", true, "train-2\ntrain\n", ""), true);
  EXPECT_EQ(session_lives("train-2", true, "train\n", ""), false);
  EXPECT_EQ(session_lives("v1.2:x", true, "v1_2_x\n", ""), true) << "what tmux makes of it";
}

TEST(SessionLives, NotWhereNoTmuxServerRuns) {
  EXPECT_EQ(session_lives("x", false, "", "no server running on /tmp/tmux-1/default\n"), false);
  EXPECT_EQ(session_lives("x", false, "",
                          "error connecting to /tmp/tmux-1/default (No such file or directory)\n"),
            false);
}

TEST(SessionLives, IsNotKnownWhenTmuxFailsInAnotherWay) {
  EXPECT_EQ(session_lives("x", false, "", "error connecting to /x (Permission denied)\n"),
            std::nullopt);
  EXPECT_EQ(session_lives("x", false, "", "open terminal failed\n"), std::nullopt);
  EXPECT_EQ(session_lives("x", false, "", ""), std::nullopt);
}

class AskedTmux : public ::testing::Test {
 protected:
  std::optional<bool> ask(const std::string& tmux) {
    SessionQuestion question(tmux, "train");
    EXPECT_TRUE(testing::eventually([&] { return question.step(); }));
    return question.lives();
  }
  std::string script(const std::string& body) const {
    return scratch_.write("tmux", "#!/bin/sh\n" + body, 0700);
  }
  testing::Scratch scratch_;
};

TEST_F(AskedTmux, Answers) {
  // One that is slow to answer is not waited for.
  EXPECT_TRUE(testing::eventually([&] { return ask(script("echo train-2; echo train")) == true; }));
  EXPECT_TRUE(testing::eventually([&] { return ask(script("echo train-2")) == false; }));
  EXPECT_EQ(ask(script("exit 1")), std::nullopt);
  EXPECT_EQ(ask(scratch_ / "missing"), std::nullopt);
  EXPECT_EQ(ask(""), std::nullopt);
}

TEST_F(AskedTmux, MayHangAndIsThenNotTakenForAnAnswer) {
  EXPECT_EQ(ask(script("echo other; exec sleep 1000")), std::nullopt);
}

}  // namespace
}  // namespace yonder::outpost
