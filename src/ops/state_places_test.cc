#include "ops/state_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_test.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

SandboxSpec gpu1() {
  SandboxSpec spec;
  spec.name = "gpu1";
  return spec;
}

Machine machine(const std::string& path, const std::string& id) {
  return {.boot_id = "boot", .user_id = "7", .state_dir = path, .state_id = id, .machine_id = "m"};
}

class StatePlaces : public ::testing::Test {
 protected:
  std::optional<Error> meet(const Machine& machine) {
    return meet_machine(store_, gpu1(), machine);
  }

  testing::Scratch scratch_;
  store::Store store_{scratch_ / "yonder.db"};
};

TEST_F(StatePlaces, OfAMachineAreMissedWhenItComesWithOthers) {
  EXPECT_FALSE(meet(machine("/home/u/state", "")));  // nothing was started there
  EXPECT_FALSE(meet(machine("/var/tmp/yonder-7/state", "abc")));
  EXPECT_FALSE(meet(machine("/var/tmp/yonder-7/state", "abc")));
  for (const char* id : {"", "xyz"}) {
    const auto trouble = meet(machine("/home/u/state", id));
    ASSERT_TRUE(trouble) << id;
    EXPECT_EQ(trouble->code, Errc::NoPlace);
    EXPECT_THAT(trouble->message, HasSubstr("'/var/tmp/yonder-7/state'"));
    EXPECT_THAT(trouble->message, HasSubstr("'/home/u/state'"));
    EXPECT_THAT(trouble->hint, HasSubstr("yonder doctor gpu1 --forget-place"));
  }
  EXPECT_FALSE(meet(machine("/var/tmp/yonder-7/state", "abc")));
  EXPECT_FALSE(meet(machine("/data/u/state", "abc")));  // the home has moved, with all it holds
  ASSERT_TRUE(store_.forget_state_places("gpu1"));
  EXPECT_FALSE(meet(machine("/home/u/state", "xyz")));
}

TEST_F(StatePlaces, OfOtherMachinesAndUsersAreTheirOwn) {
  EXPECT_FALSE(meet(machine("/a", "abc")));
  Machine reinstalled = machine("/a", "xyz");
  reinstalled.machine_id = "n";
  EXPECT_FALSE(meet(reinstalled));
  Machine other_user = machine("/a", "xyz");
  other_user.user_id = "8";
  EXPECT_FALSE(meet(other_user));
  EXPECT_TRUE(meet(machine("/a", "xyz")));
}

TEST_F(StatePlaces, ThatEndWithABootAreForgottenWithIt) {
  Machine first = machine("/tmp/yonder-7/state", "abc");
  first.state_volatile = true;
  EXPECT_FALSE(meet(first));
  Machine next = machine("/tmp/yonder-7/state", "xyz");
  EXPECT_TRUE(meet(next));
  next.boot_id = "next";
  EXPECT_FALSE(meet(next));
}

TEST_F(StatePlaces, AreNotMissedWhereTheMachineMissesThemItself) {
  EXPECT_FALSE(meet(machine("/a", "abc")));
  EXPECT_FALSE(meet(machine("", "")));
}

}  // namespace
}  // namespace yonder::ops
