#include "outpost/remove_activity.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <unistd.h>

#include "outpost/look_client_test.h"
#include "outpost/session.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

using Remove = LookTest;

TEST_F(Remove, ForgetsARunThatHasEndedWithItsLogKeyAndName) {
  auto spec = in_background("echo text");
  spec.key = "key";
  spec.session = "train";
  const auto record = start(spec);
  wait_for_end(record);
  ASSERT_TRUE(find_by_session(around_, "train"));
  const auto facts = remove(record.id());
  ASSERT_TRUE(facts) << facts.error().message;
  EXPECT_EQ(facts->run_id, record.id());
  ASSERT_TRUE(facts->exit && facts->label);
  EXPECT_EQ(facts->label->session, "train");
  EXPECT_FALSE(path_exists(record.directory()));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "state/keys"));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_ / "state/sessions"));
  EXPECT_EQ(remove(record.id()).error().code, Errc::NotFound);
}

TEST_F(Remove, LeavesALogThatLiesElsewhere) {
  auto spec = in_background("echo text");
  spec.log_file = scratch_ / "train.log";
  const auto record = start(spec);
  wait_for_end(record);
  ASSERT_TRUE(remove(record.id()));
  EXPECT_TRUE(scratch_.read("train.log").starts_with("text\n"));
}

TEST_F(Remove, LeavesKeysAndNamesThatLeadToOthers) {
  auto spec = in_background("true");
  spec.session = "train";
  const auto first = start(spec);
  wait_for_end(first);
  spec = in_background("true");
  spec.session = "train";
  const auto second = start(spec);
  wait_for_end(second);
  ASSERT_TRUE(remove(first.id()));
  const auto found = find_by_session(around_, "train");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->id(), second.id());
}

TEST_F(Remove, RefusesALiveRunAndSaysHowToStopIt) {
  const auto record = start(in_background(until("go")));
  wait_until_alive(record);
  const auto refused = remove(record.id());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_THAT(refused.error().message, HasSubstr(record.id() + " still runs"));
  EXPECT_THAT(refused.error().hint, HasSubstr("yonder stop " + record.id()));
  EXPECT_TRUE(record.exists());
}

TEST_F(Remove, RefusesARunOfWhichAProcessLives) {
  const auto record = start(in_background("sleep 1000 & echo $! > left"));
  wait_for_end(record);
  const pid_t left = pid_from("left");
  auto refused = remove(record.id());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_THAT(refused.error().message, HasSubstr("has ended, but a process of it lives"));
  // Even if there is no supervisor any more.
  const auto alive = record.read_alive();
  ASSERT_TRUE(alive && *alive);
  ::kill(static_cast<pid_t>((*alive)->supervisor.pid), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives((*alive)->supervisor); }));
  EXPECT_FALSE(remove(record.id()));
  ::kill(left, SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return process_gone(left); }));
  EXPECT_TRUE(remove(record.id()));
}

TEST_F(Remove, OfAnUnknownOrImpossibleIdIsAnError) {
  EXPECT_EQ(remove(new_run_id().str()).error().code, Errc::NotFound);
  EXPECT_EQ(remove("../../etc").error().code, Errc::InvalidArgument);
}

TEST(ReasonToKeep, IsThatARunCannotBeSeen) {
  wire::RunFacts facts{.boot_id = "b", .host = "here"};
  facts.alive = wire::AliveRecord{.boot_id = "b", .host = "there"};
  EXPECT_THAT(reason_to_keep(facts), HasSubstr("was started on there"));
  facts.exit = wire::ExitRecord{};
  EXPECT_EQ(reason_to_keep(facts), "");
}

TEST(ReasonToKeep, IsNoneAfterAnotherBoot) {
  wire::RunFacts facts{.boot_id = "now", .host = "here"};
  facts.alive = wire::AliveRecord{.boot_id = "before", .host = "here"};
  EXPECT_EQ(reason_to_keep(facts), "");
}

}  // namespace
}  // namespace yonder::outpost
