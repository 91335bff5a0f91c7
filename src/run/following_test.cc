// Runs, as seen through a far side that does not say what it should.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/patience_test.h"
#include "link/far_side_test.h"
#include "run/runs.h"

namespace yonder::run {
namespace {

using testing::FarSide;
using ::testing::HasSubstr;

class FollowingTest : public ::testing::Test {
 protected:
  // Answers the first request with these bytes, and says no more.
  void answer_with(wire::Kind kind, const std::string& payload) {
    std::string message;
    wire::append_message(message, kind, 1, payload);
    script_ = far_.greeting() + FarSide::taken(1) + far_.shown(message) + FarSide::listens();
  }
  Result<Outcome> start() {
    RunRequest request;
    request.command = "true";
    return runs_.start(FarSide::spec(), request, {.wait = testing::kPatience}, {});
  }

  FarSide far_;
  std::string script_;
  link::LinkPool links_{[this](const SandboxSpec&) -> Result<link::CommandPrefix> {
                          return FarSide::prefix(script_);
                        },
                        nullptr,
                        {},
                        {}};
  Runs runs_{links_};
};

TEST_F(FollowingTest, AReplyThatCannotBeReadLeavesTheRunIdOfWhatMayRun) {
  answer_with(wire::Kind::Reply, "this is no CBOR");
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(parse_run_id(outcome->id.str()));
  EXPECT_EQ(outcome->status.state, RunState::Unknown);
  EXPECT_FALSE(outcome->connection_error);
  ASSERT_FALSE(outcome->warnings.empty());
  EXPECT_THAT(outcome->warnings.front(), HasSubstr("the answer cannot be read"));
}

TEST_F(FollowingTest, AWordThatItBeganWhichCannotBeReadLeavesTheRunIdToo) {
  answer_with(wire::Kind::Started, wire::encode(wire::StartedNote{"no id", false}));
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->status.state, RunState::Unknown);
}

TEST_F(FollowingTest, ARefusalOfTheFirstRequestIsAnError) {
  answer_with(wire::Kind::Error, wire::encode(Error{Errc::NoRoom, "the disk is full", ""}));
  const auto outcome = start();
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, Errc::NoRoom);
}

TEST_F(FollowingTest, ADiskThatIsFullOfItsInputIsNoLostConnection) {
  const std::string id = new_run_id().str();
  std::string both;
  wire::append_message(both, wire::Kind::Started, 1, wire::encode(wire::StartedNote{id, true}));
  wire::append_message(both, wire::Kind::Error, 1,
                       wire::encode(Error{Errc::NoRoom, "keeping the input: no space", ""}));
  script_ = far_.greeting() + FarSide::taken(1) + far_.shown(both) + FarSide::listens();
  const auto outcome = start();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->id.str(), id);
  EXPECT_FALSE(outcome->connection_error);
  EXPECT_EQ(outcome->status.proof, "the machine said: 'keeping the input: no space'");
}

}  // namespace
}  // namespace yonder::run
