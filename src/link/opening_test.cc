#include "link/opening.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "link/far_side_test.h"

namespace yonder::link {
namespace {

using std::chrono::milliseconds;
using testing::FarSide;
using ::testing::HasSubstr;

// An outpost that does not fit into the pipe to the far side, and limits for sending it.
class DeployLimitTest : public ::testing::Test {
 protected:
  Result<Opened> open(const std::string& behaviour, const Deadline& give_up = Deadline::never()) {
    const std::string script = FarSide::booted() + FarSide::says("need Linux x86_64 0") + behaviour;
    return open_conversation({.spec = spec_,
                              .prefix = FarSide::prefix(script),
                              .images = images_,
                              .settings = settings_,
                              .progress = [](const std::string&) {},
                              .give_up = give_up},
                             Deadline::never(), {});
  }

  const std::string program_ = std::string(4UL << 20, 'p');
  const std::vector<OutpostImage> images_{
      {.machine = "x86_64", .hash = "0123", .raw = program_, .gzip = program_}};
  FarSide far_;
  SandboxSpec spec_ = FarSide::spec();
  LinkSettings settings_{.deploy_stuck = std::chrono::hours(1),
                         .longest_deploy = std::chrono::hours(1)};
};

TEST_F(DeployLimitTest, EndsADeployThatOnlyTrickles) {
  settings_.longest_deploy = milliseconds(300);
  const auto opened = open("while head -c 1000; do sleep 0.01; done >/dev/null");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::Unreachable);
  EXPECT_THAT(opened.error().message, HasSubstr("'fake' takes the outpost too slowly: "));
  EXPECT_THAT(opened.error().message, HasSubstr(" of 4.0 MiB were sent"));
  EXPECT_THAT(opened.error().hint, HasSubstr("very slow"));
}

TEST_F(DeployLimitTest, EndsADeployThatDoesNotMove) {
  settings_.deploy_stuck = milliseconds(50);
  const auto opened = open("exec sleep 1000");
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::Unreachable);
  EXPECT_THAT(opened.error().message, HasSubstr("takes the outpost too slowly"));
}

TEST_F(DeployLimitTest, CountsTheTimeOfTheCallerToo) {
  const auto opened = open("exec sleep 1000", Deadline::after(milliseconds(200)));
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Errc::Unreachable);
}

TEST_F(DeployLimitTest, LeavesADeployAloneThatMoves) {
  std::string hello;
  wire::append_message(hello, wire::Kind::Reply, 0, wire::encode(wire::Hello{.hostname = "far"}));
  const auto opened = open(FarSide::taken(program_.size()) + FarSide::says("ready") +
                           far_.shown(hello) + FarSide::listens());
  ASSERT_TRUE(opened) << opened.error().message;
  EXPECT_TRUE(opened->deployed);
  EXPECT_EQ(opened->hello.hostname, "far");
}

}  // namespace
}  // namespace yonder::link
