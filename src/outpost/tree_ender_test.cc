#include "outpost/tree_ender.h"

#include <gmock/gmock.h>

#include "base/subprocess.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::IsEmpty;

class TreeEnderTest : public ::testing::Test {
 protected:
  Subprocess spawn(const std::string& script) const {
    auto child = Subprocess::spawn({.argv = {"sh", "-c", script, "sh", scratch_.path()},
                                    .environment = {"PATH=/usr/bin:/bin", mark_}});
    EXPECT_TRUE(child);
    EXPECT_TRUE(testing::eventually([&] { return path_exists(scratch_ / "ready"); }));
    return *std::move(child);
  }
  RunMembers members() const { return {.supervisor = 0, .mark = mark_}; }

  testing::Scratch scratch_;
  std::string mark_ = "YONDER_RUN_ID=" + new_run_id().str();
};

TEST_F(TreeEnderTest, IsDoneAtOnceWhereNothingIsLeft) {
  TreeEnder ender(members(), std::chrono::hours(1));
  EXPECT_TRUE(ender.step());
  EXPECT_THAT(ender.survivors(), IsEmpty());
}

TEST_F(TreeEnderTest, AsksFirstAndWaitsForTheGrace) {
  auto child = spawn("trap 'exit 5' TERM; : > $1/ready; while :; do sleep 0.01; done");
  TreeEnder ender(members(), std::chrono::hours(1));
  EXPECT_FALSE(ender.step());
  const auto status = child.wait(testing::patience());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 5);
  EXPECT_TRUE(testing::eventually([&] { return ender.step(); }));
}

TEST_F(TreeEnderTest, AsksWithAnotherSignalWhenThatIsWanted) {
  auto child = spawn(
      "trap 'exit 5' TERM; trap 'exit 6' INT; : > $1/ready; "
      "while :; do sleep 0.01; done");
  TreeEnder ender(members(), std::chrono::hours(1), SIGINT);
  EXPECT_FALSE(ender.step());
  const auto status = child.wait(testing::patience());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 6);
}

TEST_F(TreeEnderTest, KillsWhatDoesNotListen) {
  auto child = spawn("trap '' TERM; : > $1/ready; while :; do sleep 1000; done");
  TreeEnder ender(members(), Duration::zero());
  EXPECT_TRUE(testing::eventually([&] { return ender.step(); }));
  const auto status = child.wait(testing::patience());
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->signaled);
  EXPECT_EQ(status->code, SIGKILL);
  EXPECT_THAT(*find_members(members()), IsEmpty());
}

// Each process starts its successor and ends; whoever kills one by one comes too late.
TEST_F(TreeEnderTest, CatchesATreeThatForksAsFastAsItDies) {
  scratch_.write("hop", "trap '' TERM\n: > \"$1/ready\"\nsh \"$0\" \"$1\" &\nsh -c : \n");
  auto child =
      spawn("trap '' TERM; sh $1/hop $1 & wait; : > $1/ready; while :; do sleep 1000; done");
  TreeEnder ender(members(), Duration::zero());
  EXPECT_TRUE(testing::eventually([&] { return ender.step() && ender.survivors().empty(); }));
  EXPECT_THAT(*find_members(members()), IsEmpty());
}

}  // namespace
}  // namespace yonder::outpost
