#include "outpost/background_log.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "outpost/background_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

class BackgroundLog : public BackgroundTest {
 protected:
  wire::StartRequest logging_to(const std::string& log_file,
                                const std::string& command = "echo text") const {
    auto wanted = in_background(command);
    wanted.log_file = log_file;
    return wanted;
  }
};

TEST_F(BackgroundLog, IsMadeWithItsDirectoriesWhereverItIsWanted) {
  for (const std::string& log_file :
       {std::string("~/a/b/1.log"), std::string("sub//./dir/2.log"), scratch_ / "abs/3.log"}) {
    const auto record = start(logging_to(log_file));
    wait_for_end(record);
    EXPECT_EQ(log_of(record), "text\nEXIT_CODE=0\n") << log_file;
  }
  EXPECT_EQ(scratch_.read("home/a/b/1.log"), "text\nEXIT_CODE=0\n");
  EXPECT_EQ(scratch_.read("sub/dir/2.log"), "text\nEXIT_CODE=0\n");
  EXPECT_EQ(scratch_.read("abs/3.log"), "text\nEXIT_CODE=0\n");
}

TEST_F(BackgroundLog, HasThePermissionsThatTheUsersOwnFilesHave) {
  const mode_t before = ::umask(022);
  wait_for_end(start(logging_to("sub/a.log")));
  ::umask(before);
  EXPECT_EQ(testing::mode_of(scratch_ / "sub/a.log"), 0644U);
  EXPECT_EQ(testing::mode_of(scratch_ / "sub"), 0755U);
}

TEST_F(BackgroundLog, KeepsWhatItHeldBefore) {
  scratch_.write("a.log", "old\nEXIT_CODE=7\n");
  const auto record = start(logging_to("a.log"));
  wait_for_end(record);
  EXPECT_EQ(scratch_.read("a.log"), "old\nEXIT_CODE=7\ntext\nEXIT_CODE=0\n");
  EXPECT_EQ(facts_of(record).label->log_from, 16U);
  EXPECT_EQ(facts_of(record).exit->code, 0);
}

TEST_F(BackgroundLog, IsNotTouchedAtTheStartWhenItEndsInTheMiddleOfALine) {
  scratch_.write("a.log", "half a line");
  const auto record = start(logging_to("a.log", until("go")));
  alive_of(record);
  EXPECT_EQ(scratch_.read("a.log"), "half a line");
  scratch_.write("go", "");
  wait_for_end(record);
  EXPECT_EQ(scratch_.read("a.log"), "half a line\nEXIT_CODE=0\n");
}

TEST_F(BackgroundLog, MayBeALinkToAnotherFile) {
  scratch_.write("real.log", "");
  ASSERT_EQ(::symlink("real.log", (scratch_ / "link.log").c_str()), 0);
  ASSERT_EQ(::symlink("fresh.log", (scratch_ / "dangling.log").c_str()), 0);
  wait_for_end(start(logging_to("link.log")));
  wait_for_end(start(logging_to("dangling.log")));
  EXPECT_EQ(scratch_.read("real.log"), "text\nEXIT_CODE=0\n");
  EXPECT_EQ(scratch_.read("fresh.log"), "text\nEXIT_CODE=0\n");
}

TEST_F(BackgroundLog, IsRefusedByItsNameWhereItCannotBe) {
  scratch_.write("file", "");
  ASSERT_EQ(::mkfifo((scratch_ / "fifo").c_str(), 0600), 0);
  for (const std::string& log_file :
       {scratch_.path(), std::string("home"), std::string("new/"), std::string("file/a.log"),
        std::string("fifo"), std::string("~"), std::string("~nobody/a.log"), std::string("a\0b", 3),
        std::string("/proc/no/such.log"), std::string(5000, 'x')}) {
    const auto error = refusal(logging_to(log_file));
    EXPECT_EQ(error.code, Errc::InvalidArgument) << log_file;
    EXPECT_THAT(error.message, HasSubstr("log_file")) << log_file;
    EXPECT_THAT(error.hint, HasSubstr("nothing was run")) << log_file;
  }
  EXPECT_EQ(records(), 0U);
  EXPECT_FALSE(path_exists(scratch_ / "new"));
}

TEST_F(BackgroundLog, IsRefusedWhereItMayNotBeWritten) {
  scratch_.write("locked/file.log", "old");
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch_ / "locked", "mode=755", MS_RDONLY)) return "mount";
    const auto error = refusal(logging_to("locked/sub/a.log"));
    if (error.code != Errc::InvalidArgument) return "was not refused";
    return error.message;
  });
  EXPECT_THAT(problem, HasSubstr("locked/sub/a.log' cannot be written: Read-only file system"));
  EXPECT_EQ(records(), 0U);
}

TEST_F(BackgroundLog, LeavesNoDirectoriesBehindWhenItCannotBeMade) {
  scratch_.write("old/x", "");
  const auto error = refusal(logging_to("old/a/b/" + std::string(300, 'x')));
  EXPECT_EQ(error.code, Errc::InvalidArgument);
  EXPECT_THAT(error.message, HasSubstr("log_file"));
  EXPECT_FALSE(path_exists(scratch_ / "old/a"));
  EXPECT_TRUE(path_exists(scratch_ / "old/x"));
  EXPECT_EQ(records(), 0U);
}

TEST_F(BackgroundLog, StaysWhereItIsOnceItIsMade) {
  { ASSERT_TRUE(UserLog::create(scratch_ / "new/a.log")); }
  EXPECT_TRUE(path_exists(scratch_ / "new/a.log")) << "another run may write into it by now";
  scratch_.write("there.log", "old");
  { ASSERT_TRUE(UserLog::create(scratch_ / "there.log")); }
  EXPECT_EQ(scratch_.read("there.log"), "old");
}

TEST_F(BackgroundLog, MayBeWrittenByTwoRunsAtTheSameTime) {
  const auto first = start(logging_to("a.log", "echo one; " + until("go")));
  const auto second = start(logging_to("a.log", "echo two; " + until("go")));
  alive_of(first);
  alive_of(second);
  scratch_.write("go", "");
  wait_for_end(first);
  wait_for_end(second);
  EXPECT_EQ(scratch_.read("a.log").size(),
            std::string("one\ntwo\nEXIT_CODE=0\nEXIT_CODE=0\n").size());
}

}  // namespace
}  // namespace yonder::outpost
