#include "config/file_stamp.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/scratch_test.h"

namespace yonder::config {
namespace {

using testing::Scratch;

Watched watch_file(const Scratch& scratch, const std::string& name) {
  Watched watched;
  watched.add_file(scratch.path() + "/" + name);
  return watched;
}

TEST(FileStamp, SeesNoChangeInAnOldFile) {
  const Scratch scratch;
  scratch.write("f", "abc");
  testing::make_older(scratch / "f", std::chrono::hours(24));
  EXPECT_FALSE(has_changed(watch_file(scratch, "f")));
}

TEST(FileStamp, SeesAnotherContentOfTheSameSizeAndAge) {
  const Scratch scratch;
  scratch.write("f", "abc");
  testing::make_older(scratch / "f", std::chrono::hours(24));
  const Watched watched = watch_file(scratch, "f");
  scratch.write("new", "xyz");
  std::filesystem::last_write_time(scratch / "new",
                                   std::filesystem::last_write_time(scratch / "f"));
  std::filesystem::rename(scratch.path() + "/new", scratch.path() + "/f");
  EXPECT_TRUE(has_changed(watched));
}

TEST(FileStamp, DoesNotTrustTheTimesOfAFileThatWasJustWritten) {
  const Scratch scratch;
  scratch.write("f", "abc");
  EXPECT_TRUE(has_changed(watch_file(scratch, "f")));
}

TEST(FileStamp, SeesCreationDeletionAndModes) {
  const Scratch scratch;
  const Watched missing = watch_file(scratch, "f");
  EXPECT_FALSE(has_changed(missing));
  scratch.write("f", "abc");
  EXPECT_TRUE(has_changed(missing));
  testing::make_older(scratch / "f", std::chrono::hours(24));
  const Watched there = watch_file(scratch, "f");
  ::chmod((scratch.path() + "/f").c_str(), 0644);
  EXPECT_TRUE(has_changed(there));
  const Watched other_mode = watch_file(scratch, "f");
  EXPECT_FALSE(has_changed(other_mode));
  std::filesystem::remove(scratch.path() + "/f");
  EXPECT_TRUE(has_changed(other_mode));
}

TEST(FileStamp, SeesANewFileThatMatchesAPattern) {
  const Scratch scratch;
  Watched watched;
  EXPECT_TRUE(watched.add_pattern(scratch.path() + "/*.conf").empty());
  scratch.write("x.other", "");
  EXPECT_FALSE(has_changed(watched));
  scratch.write("x.conf", "");
  EXPECT_TRUE(has_changed(watched));
}

}  // namespace
}  // namespace yonder::config
