#include "outpost/read_log_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "base/scratch_test.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kRoom = 20000;

class ALogFile : public ::testing::Test {
 protected:
  LogFile with(const std::string& content) const { return seen(scratch_.write("log", content)); }
  static LogFile seen(const std::string& path) {
    LogFile file(path);
    file.look();
    return file;
  }
  static LastLines last(LogFile& file, std::uint64_t lines, std::uint64_t max_bytes = kRoom) {
    return last_lines(file, 0, file.size(), lines, max_bytes);
  }

  testing::Scratch scratch_;
};

TEST_F(ALogFile, GivesItsLastLines) {
  auto file = with("one\ntwo\nthree\n");
  EXPECT_EQ(last(file, 2).bytes, "two\nthree\n");
  EXPECT_EQ(last(file, 2).start, 4U);
  EXPECT_EQ(last(file, 3).bytes, "one\ntwo\nthree\n");
  EXPECT_EQ(last(file, 100).bytes, "one\ntwo\nthree\n");
  EXPECT_EQ(last(file, 0).bytes, "");
  EXPECT_EQ(last(file, 0).start, file.size());
}

TEST_F(ALogFile, TakesAnUnfinishedLineForALine) {
  auto file = with("one\ntwo\nthr");
  EXPECT_EQ(last(file, 1).bytes, "thr");
  EXPECT_EQ(last(file, 2).bytes, "two\nthr");
}

TEST_F(ALogFile, CountsEmptyLines) {
  auto file = with("one\n\n\n");
  EXPECT_EQ(last(file, 2).bytes, "\n\n");
  EXPECT_EQ(last(file, 3).bytes, "one\n\n\n");
}

TEST_F(ALogFile, MayBeEmpty) {
  auto file = with("");
  EXPECT_TRUE(file.exists());
  EXPECT_EQ(last(file, 5).bytes, "");
}

TEST_F(ALogFile, KeepsEveryByteAsItIs) {
  const std::string bytes("a\r\nb\0c\r\n\xff\xfe\r\n", 12);
  auto file = with(bytes);
  EXPECT_EQ(last(file, 3).bytes, bytes);
  EXPECT_EQ(last(file, 2).bytes, bytes.substr(3));
}

TEST_F(ALogFile, GivesNothingOfAnEarlierRun) {
  auto file = with("old\nnew 1\nnew 2\n");
  const auto lines = last_lines(file, 4, file.size(), 50, kRoom);
  EXPECT_EQ(lines.bytes, "new 1\nnew 2\n");
  EXPECT_EQ(lines.start, 4U);
}

TEST_F(ALogFile, GivesWholeLinesWhenNotAllOfThemFit) {
  auto file = with("aaaa\nbbbb\ncccc\n");
  EXPECT_EQ(last(file, 50, 12).bytes, "bbbb\ncccc\n");
  EXPECT_EQ(last(file, 50, 12).start, 5U);
  EXPECT_EQ(last(file, 50, 10).bytes, "bbbb\ncccc\n");
  EXPECT_EQ(last(file, 50, 9).bytes, "cccc\n");
}

TEST_F(ALogFile, GivesTheEndOfALineThatDoesNotFit) {
  auto file = with("short\n" + std::string(100000, 'x') + "the end");
  const auto lines = last(file, 50, 1000);
  EXPECT_EQ(lines.bytes.size(), 1000U);
  EXPECT_TRUE(lines.bytes.ends_with("xthe end"));
  EXPECT_EQ(lines.start + lines.bytes.size(), file.size());
  auto finished = with(std::string(100000, 'x') + "the end\n");
  EXPECT_TRUE(last(finished, 50, 1000).bytes.ends_with("xthe end\n"));
}

TEST_F(ALogFile, OfTenGigabytesCostsNoMoreThanASmallOne) {
  const std::string path = scratch_.write("log", "");
  const std::string end = "\none\ntwo\nthree\n";
  constexpr std::uint64_t kSize = 10ULL << 30U;
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(kSize)), 0);
  std::ofstream(path, std::ios::app | std::ios::binary) << end;
  auto file = seen(path);
  EXPECT_EQ(file.size(), kSize + end.size());
  EXPECT_EQ(last(file, 3).bytes, "one\ntwo\nthree\n");
  EXPECT_LE(file.bytes_read(), 16384U);
  EXPECT_TRUE(last(file, 1000000, 100000).bytes.ends_with("three\n"));
  EXPECT_LE(file.bytes_read(), 16384U + 100001U);
}

TEST_F(ALogFile, ThatIsCutMeanwhileGivesWhatIsLeft) {
  auto file = with("one\ntwo\nthree\n");
  ASSERT_EQ(::truncate(file.path().c_str(), 5), 0);
  EXPECT_EQ(file.read(0, 14), "one\nt");
  EXPECT_EQ(last_lines(file, 0, 14, 50, kRoom).bytes, "");
  file.look();
  EXPECT_EQ(file.size(), 5U);
  EXPECT_FALSE(file.replaced());
}

TEST_F(ALogFile, NoticesThatAnotherHasTakenItsPlace) {
  auto file = with("first");
  const std::string other = scratch_.write("other", "second, longer");
  ASSERT_EQ(::rename(other.c_str(), file.path().c_str()), 0);
  file.look();
  EXPECT_TRUE(file.replaced());
  EXPECT_EQ(file.read(0, file.size()), "second, longer");
}

TEST_F(ALogFile, ThatIsRemovedIsSeenToBeGone) {
  auto file = with("text");
  ::unlink(file.path().c_str());
  file.look();
  EXPECT_FALSE(file.exists());
  EXPECT_EQ(file.size(), 0U);
  EXPECT_EQ(file.problem(), "");
}

TEST_F(ALogFile, IsNeverAFifoADeviceOrADirectory) {
  const std::string fifo = scratch_ / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_EQ(seen(fifo).problem(), fifo + " is a FIFO, not a regular file");
  EXPECT_EQ(seen("/dev/zero").problem(), "/dev/zero is a device, not a regular file");
  EXPECT_EQ(seen(scratch_.path()).problem(),
            scratch_.path() + " is a directory, not a regular file");
}

TEST_F(ALogFile, SaysWhatIsWrongWithItsName) {
  const std::string loop = scratch_ / "loop";
  ASSERT_EQ(::symlink("loop", loop.c_str()), 0);
  EXPECT_NE(seen(loop).problem().find("symbolic links"), std::string::npos);
  EXPECT_FALSE(seen(loop).exists());
  EXPECT_EQ(seen(scratch_ / "nothing").problem(), "");
  EXPECT_FALSE(seen(scratch_ / "nothing").exists());
  scratch_.write("file", "");
  EXPECT_NE(seen(scratch_ / "file/inside").problem(), "");
  EXPECT_NE(seen(scratch_ / std::string(300, 'x')).problem(), "");
}

TEST_F(ALogFile, ThatMayNotBeReadSaysSo) {
  if (::geteuid() == 0) lab::skip_for(lab::Need::NotRoot);
  auto file = seen(scratch_.write("log", "secret", 0));
  EXPECT_TRUE(file.exists());
  EXPECT_NE(file.problem().find("Permission denied"), std::string::npos);
}

}  // namespace
}  // namespace yonder::outpost
