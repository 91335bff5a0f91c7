// Runs whose command never began, because the machine gave no process for it.

#include <gmock/gmock.h>

#include "outpost/background_fixture_test.h"
#include "outpost/few_processes_test.h"
#include "outpost/launcher.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class Unbegun : public BackgroundTest {
 protected:
  // With one process more than the starter: enough for a supervisor, and not for its command.
  bool start_without_room(const wire::StartRequest& wanted) {
    return testing::with_few_processes(2, scratch_.path(), [&] {
      const auto started = start_run(around_, wanted);
      if (!started) scratch_.write("problem", started.error().message);
      // One process fewer would make room for the command.
      testing::eventually([&] { return !started || started->record.has_ended(); });
    });
  }
  RunRecord record_of(const wire::StartRequest& wanted) const {
    return RunRecord(around_.state_dir, RunId(wanted.run_id));
  }
};

TEST_F(Unbegun, ACommandThatNeverRanIsRefusedAndSaysWhy) {
  const auto wanted = request("echo ran");
  if (!start_without_room(wanted)) GTEST_SKIP() << "processes cannot be limited here";
  const auto exit = wait_for_end(record_of(wanted));
  EXPECT_EQ(exit.cause, wire::Cause::Refused);
  EXPECT_EQ(exit.code, std::nullopt);
  EXPECT_THAT(exit.reason, HasSubstr("Resource temporarily unavailable"));
  EXPECT_EQ(text_of(record_of(wanted), "err"), "");
}

TEST_F(Unbegun, ACommandThatNeverRanLeavesItsKeyFree) {
  auto wanted = request("echo ran");
  wanted.key = "work";
  if (!start_without_room(wanted)) GTEST_SKIP() << "processes cannot be limited here";
  wait_for_end(record_of(wanted));
  EXPECT_EQ(start(wanted).id(), wanted.run_id) << "whoever asks for the same run is told";
  auto again = request("echo ran");
  again.key = "work";
  const auto record = start(again);
  EXPECT_EQ(record.id(), again.run_id);
  EXPECT_EQ(wait_for_end(record).code, 0);
  EXPECT_EQ(text_of(record, "out"), "ran\n");
  EXPECT_EQ(find_by_key(around_, "work")->id(), again.run_id);
}

TEST_F(Unbegun, ACommandWhoseOutputCannotBeOpenedIsRefused) {
  const auto wanted = in_background("echo ran");
  const RunRecord record = record_of(wanted);
  ASSERT_TRUE(make_directory(record.directory()));
  ASSERT_TRUE(
      write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
  const auto lock = record.try_lock();
  ASSERT_TRUE(lock && *lock);
  ASSERT_TRUE(launch_background(record, wanted, **lock, {}, std::chrono::seconds(1)));
  const auto exit = wait_for_end(record);
  EXPECT_EQ(exit.cause, wire::Cause::Refused);
  EXPECT_THAT(exit.reason, HasSubstr("No such file"));
}

// The outpost ignores SIGCHLD, and so learns no exit code of its children.
TEST_F(Unbegun, ABackgroundRunWhoseSecondForkIsRefusedLeavesItsKeyFree) {
  auto wanted = in_background("echo ran");
  wanted.key = "work";
  const bool limited = testing::with_few_processes(2, scratch_.path(), [&] {
    ::signal(SIGCHLD, SIG_IGN);
    const auto started = start_run(around_, wanted);
    scratch_.write("problem", started ? "it was started" : started.error().message);
  });
  if (!limited) GTEST_SKIP() << "processes cannot be limited here";
  EXPECT_THAT(scratch_.read("problem"), HasSubstr("Resource temporarily unavailable"));
  EXPECT_EQ(records(), 0U);
  EXPECT_FALSE(find_by_key(around_, "work"));
}

TEST_F(Unbegun, ABackgroundRunWhoseSecondForkIsRefusedIsNotStarted) {
  if (!start_without_room(in_background("echo ran"))) {
    GTEST_SKIP() << "processes cannot be limited here";
  }
  EXPECT_THAT(scratch_.read("problem"), HasSubstr("Resource temporarily unavailable"));
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace yonder::outpost
