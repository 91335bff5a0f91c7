#include "outpost/key_request.h"

#include <gmock/gmock.h>

#include <chrono>
#include <filesystem>
#include <functional>

#include "outpost/remove_run.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using std::chrono::hours;
using ::testing::EndsWith;
using ::testing::HasSubstr;

class AKey : public RunTest {
 protected:
  wire::StartRequest keyed() const {
    auto wanted = request("echo done; echo x >> count");
    wanted.key = "k";
    wanted.env = {{"SECRET", "one"}};
    return wanted;
  }
  // What is said when the key comes back with a request that was changed in this way.
  std::string answer_to(const std::function<void(wire::StartRequest&)>& change) const {
    auto again = keyed();
    change(again);
    const auto started = start_run(around_, again);
    if (started) return "the run of " + started->record.id();
    EXPECT_EQ(started.error().code, Errc::Conflict);
    return started.error().message;
  }
  void collect(Retention retention = {}) const {
    last_collected(std::chrono::hours(1000 * 24));
    collect_leftovers(around_.state_dir, scratch_ / "outpost-none", retention);
  }
};

TEST_F(AKey, WithADifferentRequestIsAnErrorThatNamesWhatDiffers) {
  const auto first = start(keyed());
  wait_for_end(first);
  const std::string another = "which was asked for with another ";
  EXPECT_THAT(answer_to([](auto& r) { r.cwd = "/"; }), EndsWith(another + "cwd"));
  EXPECT_THAT(answer_to([](auto& r) { r.env["SECRET"] = "two"; }), EndsWith(another + "env"));
  EXPECT_THAT(answer_to([](auto& r) { r.env.clear(); }), EndsWith(another + "env"));
  EXPECT_THAT(answer_to([](auto& r) { r.command = "make"; }), EndsWith(another + "command"));
  EXPECT_THAT(answer_to([](auto& r) { r.login = true; }), EndsWith(another + "login"));
  EXPECT_THAT(answer_to([](auto& r) { r.timeout_ms = 1000; }), EndsWith(another + "timeout"));
  EXPECT_THAT(answer_to([](auto& r) { r.gpus = 1; }), EndsWith(another + "gpus"));
  EXPECT_THAT(answer_to([](auto& r) { r.background = true; }), EndsWith(another + "background"));
  EXPECT_THAT(answer_to([](auto& r) {
                r.stdin_mode = wire::StdinMode::Whole;
                r.input = "text";
              }),
              EndsWith(another + "stdin"));
  EXPECT_THAT(answer_to([](auto& r) {
                r.cwd = "/";
                r.env.clear();
              }),
              EndsWith(another + "cwd, env"));
  EXPECT_EQ(scratch_.read("count"), "x\n");
}

TEST_F(AKey, WithTheSameRequestFindsItsRunHoweverItIsWritten) {
  const auto first = start(keyed());
  wait_for_end(first);
  const std::string found = "the run of " + first.id();
  EXPECT_EQ(answer_to([](auto&) {}), found);
  EXPECT_EQ(answer_to([](auto& r) { r.cwd += "/"; }), found);
  EXPECT_EQ(answer_to([](auto& r) { r.follow.wait_ms = 7; }), found);
  EXPECT_EQ(answer_to([](auto& r) { r.stdin_mode = wire::StdinMode::Stream; }), found)
      << "what will be streamed is not known";
  EXPECT_EQ(scratch_.read("count"), "x\n");
}

TEST_F(AKey, MeansHomeByATilde) {
  auto wanted = keyed();
  wanted.cwd = "";
  const auto first = start(wanted);
  EXPECT_EQ(wait_for_end(first).reason, "");
  const std::string found = "the run of " + first.id();
  for (const std::string& home : {std::string("~"), std::string("~/"), around_.home}) {
    EXPECT_EQ(answer_to([&](auto& r) { r.cwd = home; }), found) << home;
  }
}

TEST_F(AKey, KeepsNoSecretOfItsRequest) {
  const auto first = start(keyed());
  wait_for_end(first);
  EXPECT_THAT(text_of(first, "asked"), HasSubstr("env "));
  EXPECT_THAT(text_of(first, "asked"), ::testing::Not(HasSubstr("one")));
}

TEST_F(AKey, IsGoodForThirtyDays) {
  const auto first = start(keyed());
  wait_for_end(first);
  ASSERT_TRUE(testing::eventually([&] { return !first.locked(); }));
  testing::make_older(first.path("exit"), hours(29 * 24));
  collect();
  EXPECT_EQ(answer_to([](auto&) {}), "the run of " + first.id());
  testing::make_older(first.path("exit"), hours(31 * 24));
  collect();
  EXPECT_FALSE(first.exists());
  EXPECT_EQ(scratch_.read("count"), "x\n");
}

TEST_F(AKey, WhoseOutputMadeRoomForOthersSaysSoAndStartsNothing) {
  const auto first = start(keyed());
  wait_for_end(first);
  ASSERT_TRUE(testing::eventually([&] { return !first.locked(); }));
  testing::make_older(first.path("exit"), hours(48));
  collect({.max_bytes = 1});
  EXPECT_FALSE(path_exists(first.path("out")));
  const std::string answer = answer_to([](auto&) {});
  EXPECT_THAT(answer, HasSubstr(first.id()));
  EXPECT_THAT(answer, HasSubstr("exit code 0"));
  EXPECT_THAT(answer, HasSubstr("was removed over there to make room"));
  EXPECT_EQ(scratch_.read("count"), "x\n");
}

}  // namespace
}  // namespace yonder::outpost
