#include "outpost/session.h"

#include <gmock/gmock.h>

#include "outpost/background_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class Session : public BackgroundTest {
 protected:
  wire::StartRequest named(const std::string& name, const std::string& command) const {
    auto wanted = in_background(command);
    wanted.session = name;
    return wanted;
  }
};

TEST(SessionNames, AreTrimmedAndHaveNoControlCharacters) {
  EXPECT_EQ(*check_session_name("train"), "train");
  EXPECT_EQ(*check_session_name("  a b.c:1 ä\t"), "a b.c:1 ä");
  EXPECT_EQ(*check_session_name(std::string(100, 'x')), std::string(100, 'x'));
  for (const std::string& bad :
       {std::string(), std::string("  \t"), std::string(101, 'x'), std::string("a\nb"),
        std::string("a\x1b[31m"), std::string("a\0b", 3), std::string("\x7f")}) {
    const auto checked = check_session_name(bad);
    ASSERT_FALSE(checked) << bad;
    EXPECT_EQ(checked.error().code, Errc::InvalidArgument);
    EXPECT_THAT(checked.error().message, HasSubstr("session_name"));
  }
}

TEST_F(Session, IsCheckedBeforeAnythingStarts) {
  EXPECT_EQ(refusal(named("a\nb", ": > never")).code, Errc::InvalidArgument);
  EXPECT_EQ(records(), 0U);
  EXPECT_FALSE(path_exists(scratch_ / "never"));
}

TEST_F(Session, LeadsToItsRun) {
  const auto record = start(named(" train.1: a ", "true"));
  EXPECT_EQ(find_by_session(around_, "train.1: a")->id(), record.id());
  EXPECT_EQ(find_by_session(around_, " train.1: a")->id(), record.id());
  EXPECT_FALSE(find_by_session(around_, "train_1__a")) << "that is only what tmux makes of it";
  EXPECT_FALSE(find_by_session(around_, "train"));
  EXPECT_FALSE(find_by_session(around_, ""));
}

TEST_F(Session, OfALiveRunIsRefusedAndThatRunIsLeftAlone) {
  auto first = named("train", "echo mine; " + until("go") + "echo still mine");
  first.log_file = "train.log";
  const auto running = start(first);
  ASSERT_TRUE(testing::eventually([&] { return scratch_.read("train.log") == "mine\n"; }));
  auto second = named("train ", ": > never");
  second.log_file = "train.log";
  second.key = "k";
  const auto error = refusal(second);
  EXPECT_EQ(error.code, Errc::Conflict);
  EXPECT_EQ(error.message,
            concat("session_name 'train' is in use by run ", running.id(), ", which is running"));
  EXPECT_THAT(error.hint, HasSubstr("choose another name, or stop that run"));
  EXPECT_EQ(records(), 1U);
  EXPECT_FALSE(find_by_key(around_, "k"));
  EXPECT_EQ(scratch_.read("train.log"), "mine\n");
  EXPECT_TRUE(facts_of(running).command_lives);
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(running).code, 0);
  EXPECT_EQ(scratch_.read("train.log"), "mine\nstill mine\nEXIT_CODE=0\n");
  EXPECT_FALSE(path_exists(scratch_ / "never"));
}

TEST_F(Session, OfARunThatIsAboutToBeginIsRefused) {
  const auto waiting = named("train", "true");
  const RunRecord record(around_.state_dir, RunId(waiting.run_id));
  ASSERT_TRUE(make_directory(record.directory()));
  ASSERT_TRUE(
      write_file_atomically(record.path("spec"), wire::encode(waiting), Durability::Process));
  ASSERT_TRUE(claim_session(around_, "train", record));
  {
    const auto lock = record.try_lock();
    ASSERT_TRUE(lock && *lock);
    EXPECT_THAT(refusal(named("train", "true")).message, HasSubstr("which is about to begin"));
  }
  EXPECT_TRUE(start_run(around_, named("train", "true"))) << "its starter is gone";
}

TEST_F(Session, OfACommandWithoutItsSupervisorIsRefused) {
  const auto running = start(named("train", "sleep 1000"));
  const auto alive = alive_of(running);
  ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
  ASSERT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
  EXPECT_EQ(refusal(named("train", "true")).code, Errc::Conflict);
  EXPECT_TRUE(lives(alive.command));
}

TEST_F(Session, OfAnEndedRunIsTakenOver) {
  const auto first = start(named("train", "true"));
  wait_for_end(first);
  const auto second = start(named("train", "sleep 1000"));
  EXPECT_EQ(find_by_session(around_, "train")->id(), second.id());
}

TEST_F(Session, StaysWithTheOlderRunWhenTheNewOneCannotBeStarted) {
  const auto first = start(named("train", "true"));
  wait_for_end(first);
  auto second = named("train", "true");
  second.log_file = scratch_.path();
  EXPECT_EQ(refusal(second).code, Errc::InvalidArgument);
  EXPECT_EQ(find_by_session(around_, "train")->id(), first.id());
}

TEST_F(Session, OfTheSameRequestIsNoConflict) {
  const auto wanted = named("train", "sleep 1000");
  const auto first = start(wanted);
  const auto again = start_run(around_, wanted);
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->record.id(), first.id());
}

TEST_F(Session, GivesWayToAKey) {
  auto wanted = named("train", "sleep 1000");
  wanted.key = "k";
  const auto first = start(wanted);
  auto again = named("train", "sleep 1000");
  again.key = "k";
  const auto attached = start_run(around_, again);
  ASSERT_TRUE(attached);
  EXPECT_EQ(attached->record.id(), first.id());
}

TEST_F(Session, IsGivenToOneOfManyThatWantItAtTheSameTime) {
  std::vector<pid_t> starters;
  for (int i = 0; i < 6; ++i) {
    const auto wanted = named("train", "sleep 1000");
    const pid_t child = ::fork();
    if (child == 0) ::_exit(start_run(around_, wanted) ? 0 : 1);
    starters.push_back(child);
  }
  int started = 0;
  for (const pid_t starter : starters) {
    int status = -1;
    ::waitpid(starter, &status, 0);
    if (status == 0) ++started;
  }
  EXPECT_EQ(started, 1);
  EXPECT_EQ(records(), 1U);
}

TEST_F(Session, IsForgottenWithItsRun) {
  const auto record = start(named("train", "true"));
  wait_for_end(record);
  std::filesystem::remove_all(record.directory());
  EXPECT_FALSE(find_by_session(around_, "train"));
  EXPECT_TRUE(start_run(around_, named("train", "true")));
}

}  // namespace
}  // namespace yonder::outpost
