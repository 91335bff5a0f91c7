#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/scratch_test.h"
#include "base/secret.h"
#include "base/thread.h"

namespace yonder {
namespace {

using ::testing::HasSubstr;

std::size_t entries(const std::string& path) {
  const auto all = std::filesystem::directory_iterator(path);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

TEST(ReadFile, ReadsUpToItsLimit) {
  const testing::Scratch scratch;
  const auto path = scratch.write("f", std::string(100000, 'x'));
  EXPECT_EQ(read_file(path, 100000)->size(), 100000U);
  EXPECT_THAT(read_file(path, 99999).error().message, HasSubstr("larger than 99999 bytes"));
  EXPECT_EQ(read_file(scratch / "none", 1).error().code, Errc::NotFound);
  EXPECT_FALSE(read_file(scratch.path(), 1));
}

TEST(WriteFileAtomically, ReplacesAFileWholeAndPrivate) {
  const testing::Scratch scratch;
  const auto path = scratch.write("f", "old", 0644);
  for (const auto durability : {Durability::Process, Durability::Power}) {
    ASSERT_TRUE(write_file_atomically(path, "new", durability));
    EXPECT_EQ(scratch.read("f"), "new");
    EXPECT_EQ(testing::mode_of(path), 0600U);
  }
  EXPECT_EQ(entries(scratch.path()), 1U) << "nothing temporary is left";
}

TEST(WriteFileAtomically, LeavesTheOldFileWhereItCannotWriteTheNewOne) {
  const testing::Scratch scratch;
  std::filesystem::create_directory(scratch / "f");
  EXPECT_FALSE(write_file_atomically(scratch / "f", "new", Durability::Process));
  EXPECT_EQ(entries(scratch.path()), 1U);
  EXPECT_FALSE(write_file_atomically(scratch / "no/f", "new", Durability::Process));
}

TEST(WriteFileAtomically, KeepsThreadsThatWriteTheSameFileApart) {
  const testing::Scratch scratch;
  const auto write_many = [&](char letter) {
    for (int i = 0; i < 200; ++i) {
      EXPECT_TRUE(
          write_file_atomically(scratch / "f", std::string(5000, letter), Durability::Process));
    }
  };
  {
    Thread first("first", [&] { write_many('a'); });
    Thread second("second", [&] { write_many('b'); });
  }
  const auto text = scratch.read("f");
  EXPECT_TRUE(text == std::string(5000, 'a') || text == std::string(5000, 'b'));
}

TEST(MakeDirectories, MakesWhatIsMissingForUsAlone) {
  const testing::Scratch scratch;
  ASSERT_TRUE(make_directories(scratch / "a/b/c"));
  EXPECT_EQ(testing::mode_of(scratch / "a"), 0700U);
  EXPECT_EQ(testing::mode_of(scratch / "a/b/c"), 0700U);
  EXPECT_TRUE(make_directories(scratch / "a/b/c"));
  EXPECT_EQ(make_directory(scratch / "a").error().code, Errc::Conflict);
  scratch.write("file", "");
  EXPECT_FALSE(make_directories(scratch / "file"));
  EXPECT_FALSE(make_directories(scratch / "file/below"));
}

TEST(PathExists, SeesADanglingSymlinkToo) {
  const testing::Scratch scratch;
  std::filesystem::create_symlink("nowhere", scratch / "link");
  EXPECT_TRUE(path_exists(scratch / "link"));
  EXPECT_FALSE(path_exists(scratch / "none"));
}

TEST(WriteAll, GivesUpOnAFullPipeAtTheDeadline) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe && set_nonblocking(pipe->write));
  const auto written = write_all(pipe->write, std::string(1024UL * 1024, 'x'),
                                 Deadline::after(std::chrono::milliseconds(20)));
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Errc::Timeout);
}

TEST(Deadlines, KnowWhenTheyAreOver) {
  EXPECT_TRUE(Deadline::after(Duration::zero()).expired());
  EXPECT_TRUE(Deadline::after(std::chrono::seconds(-5)).expired());
  EXPECT_EQ(Deadline::after(Duration::zero()).poll_timeout(), 0);
  EXPECT_FALSE(Deadline::never().expired());
  EXPECT_EQ(Deadline::never().poll_timeout(), -1);
  EXPECT_TRUE(Deadline::after(Duration::max()).is_never());
  EXPECT_EQ(Deadline::never().remaining(), Duration::max());
  EXPECT_EQ(Deadline::after(std::chrono::hours(24 * 365 * 100)).poll_timeout(),
            std::numeric_limits<int>::max());
  const auto soon = Deadline::after(std::chrono::hours(1));
  EXPECT_EQ(Deadline::earlier(soon, Deadline::never()).at(), soon.at());
  EXPECT_GT(Deadline::after(std::chrono::microseconds(900)).poll_timeout(), 0) << "rounded up";
}

TEST(Log, CannotBeMadeToForgeALine) {
  ::testing::internal::CaptureStderr();
  log_warning("event\nyonder: error: forged", {{"key", "a\r\n\x1b[31mb\x7f"}});
  log_info("not shown at this level");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "yonder: warning: event\\x0ayonder: error: forged key=a\\x0d\\x0a\\x1b[31mb\\x7f\n");
}

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <class T>
concept Comparable = requires(const T& value) {
  value == value;
};

TEST(Secrets, CannotBePrintedOrCompared) {
  static_assert(!Printable<Secret> && !Comparable<Secret>);
  const Secret secret("hunter2");
  EXPECT_EQ(secret.reveal(), "hunter2");
  EXPECT_TRUE(Secret().empty());
}

}  // namespace
}  // namespace yonder
