#include "outpost/held_record.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

#include "outpost/background_fixture_test.h"
#include "outpost/given_back.h"
#include "outpost/record_files.h"
#include "outpost/supervisor.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class HeldRecordTest : public BackgroundTest {
 protected:
  RunRecord make(const wire::StartRequest& wanted) {
    RunRecord record(around_.state_dir, RunId(wanted.run_id));
    EXPECT_TRUE(make_directory(record.directory()));
    EXPECT_TRUE(
        write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
    EXPECT_TRUE(create_files(record, wanted, false));
    return record;
  }
  // The supervisor's whole life, with the state directory away from before its first instruction.
  RunRecord supervise_while_away(const RunRecord& record, const wire::StartRequest& wanted) {
    HeldRecord held(record);
    const std::string away = around_.state_dir + ".away";
    EXPECT_EQ(std::rename(around_.state_dir.c_str(), away.c_str()), 0);
    const pid_t supervisor = ::fork();
    if (supervisor == 0) ::_exit(supervise(std::move(held), wanted));
    ::waitpid(supervisor, nullptr, 0);
    EXPECT_EQ(std::rename(away.c_str(), around_.state_dir.c_str()), 0);
    return record;
  }
};

TEST_F(HeldRecordTest, ARunWhoseHomeGoesAwayBeforeItBeginsIsBegun) {
  auto wanted = in_background("echo ran");
  wanted.cwd = "/";
  const auto record = supervise_while_away(make(wanted), wanted);
  const auto exit = record.read_exit();
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->cause, wire::Cause::Exited);
  EXPECT_EQ((*exit)->code, 0);
  EXPECT_THAT(text_of(record, "log"), HasSubstr("ran\n"));
}

TEST_F(HeldRecordTest, ARunWhoseDirectoryGoesAwayBeforeItBeginsIsRefused) {
  auto wanted = in_background("echo ran");
  wanted.cwd = around_.state_dir;
  const auto record = supervise_while_away(make(wanted), wanted);
  const auto exit = record.read_exit();
  ASSERT_TRUE(exit && *exit);
  EXPECT_EQ((*exit)->cause, wire::Cause::Refused);
  EXPECT_THAT((*exit)->reason, HasSubstr("cwd"));
  EXPECT_FALSE(path_exists(record.path("alive")));
}

// A command may write into its record: nothing there may hold up the link.
TEST_F(HeldRecordTest, APipeInTheRecordHoldsUpNoReader) {
  const auto wanted = in_background("true");
  const auto record = make(wanted);
  for (const char* name : {"alive", "exit", "gone", "waiting", "out", "stop", "tmux"}) {
    ::unlink(record.path(name).c_str());
    ASSERT_EQ(::mkfifo(record.path(name).c_str(), 0600), 0) << name;
  }
  const auto facts = observe(record, "a boot", {.members = true, .label = true});
  EXPECT_FALSE(facts.exit);
  EXPECT_TRUE(read_gone(record).of(wire::Channel::Out).empty());
  EXPECT_TRUE(record.try_lock());
}

}  // namespace
}  // namespace yonder::outpost
