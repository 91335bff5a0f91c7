#include "outpost/disks.h"

#include <gmock/gmock.h>

#include "base/text.h"
#include "outpost/run_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

constexpr auto kLimit = testing::kPatience;

class Disks : public RunTest {
 protected:
  resources::Disk work(const std::string& cwd) const {
    return look_at_disks(around_, cwd, kLimit)[0];
  }
};

TEST_F(Disks, AreThoseOfTheWorkAndOfTheRecords) {
  const auto disks = look_at_disks(around_, scratch_.path(), kLimit);
  ASSERT_EQ(disks.size(), 2U);
  EXPECT_EQ(disks[0].role, "work");
  EXPECT_EQ(disks[0].path, scratch_.path());
  EXPECT_EQ(disks[1].role, "state");
  EXPECT_EQ(disks[1].path, around_.state_dir);
  for (const auto& disk : disks) {
    ASSERT_TRUE(disk.free_bytes && disk.total_bytes) << disk.free_bytes.why;
    EXPECT_LE(*disk.free_bytes, *disk.total_bytes);
  }
}

TEST_F(Disks, OfTheWorkAreWhereACommandWouldStart) {
  EXPECT_EQ(work("").path, around_.home);
  EXPECT_EQ(work("~").path, around_.home);
  EXPECT_EQ(work("~/.").path, around_.home + "/.");
  scratch_.write("home/project/file", "");
  EXPECT_EQ(work("project").path, around_.home + "/project");
  EXPECT_EQ(work("~/project").path, around_.home + "/project");
}

// The file system above it may be another one than that which will be there.
TEST_F(Disks, OfAPlaceThatDoesNotExistAreMissing) {
  const auto disk = work("not/there/yet");
  EXPECT_EQ(disk.path, around_.home + "/not/there/yet");
  EXPECT_FALSE(disk.free_bytes);
  EXPECT_EQ(disk.absent, concat("'", around_.home, "/not/there/yet' does not exist"));
  EXPECT_EQ(disk.total_inodes.why,
            concat(disk.absent, "; the nearest directory above it is '", around_.home, "'"));
  EXPECT_THAT(work("/not-there/at/all//").free_bytes.why, HasSubstr("above it is '/'"));
  EXPECT_EQ(work("").absent, "");
}

TEST_F(Disks, OfTheRecordsAreWhereTheyWillBeMade) {
  around_.state_dir = around_.home + "/not/there/yet";
  const auto disk = look_at_disks(around_, "", kLimit)[1];
  EXPECT_EQ(disk.path, around_.home);
  EXPECT_TRUE(disk.free_bytes);
  scratch_.write("home/file", "");
  EXPECT_EQ(existing_part(around_.home + "/file/below"), around_.home + "/file");
}

TEST_F(Disks, OfAPlaceThatCannotBeMeantAreMissing) {
  const auto disk = work("~somebody/x");
  EXPECT_FALSE(disk.free_bytes);
  EXPECT_THAT(disk.free_bytes.why, HasSubstr("not looked up"));
  EXPECT_THAT(disk.total_inodes.why, HasSubstr("not looked up"));
  EXPECT_FALSE(work(std::string("a\0b", 3)).free_bytes);
  around_.state_dir.clear();
  around_.state_problem = "all full";
  EXPECT_THAT(look_at_disks(around_, "", kLimit)[1].free_bytes.why, HasSubstr("all full"));
}

TEST_F(Disks, CarryNoEscapeCodes) {
  EXPECT_EQ(work("~\x1b[31m").path.find('\x1b'), std::string::npos);
}

TEST(DiskSpace, IsWhatIsFreeForUs) {
  struct statvfs space {};
  space.f_frsize = 4096;
  space.f_blocks = 100;
  space.f_bfree = 50;
  space.f_bavail = 40;
  space.f_files = 1000;
  space.f_ffree = 10;
  space.f_favail = 9;
  resources::Disk disk;
  set_space(disk, space);
  EXPECT_EQ(*disk.free_bytes, 40U * 4096);
  EXPECT_EQ(*disk.total_bytes, 100U * 4096);
  EXPECT_EQ(*disk.free_inodes, 9U);
  EXPECT_EQ(*disk.total_inodes, 1000U);
}

TEST(DiskSpace, HasNoInodesWhereNoneAreCounted) {
  struct statvfs space {};
  space.f_frsize = 1;
  resources::Disk disk;
  set_space(disk, space);
  EXPECT_EQ(*disk.free_bytes, 0U);
  EXPECT_EQ(disk.free_inodes.why, "this file system does not count them");
  EXPECT_FALSE(disk.total_inodes);
}

TEST(DiskSpace, IsMissingWhenTheFileSystemDoesNotAnswer) {
  resources::Disk disk{.path = "/dead"};
  take_space(disk, {.out = "", .end = Said::End::TooLate}, std::chrono::seconds(1));
  EXPECT_EQ(disk.free_bytes.why, "the file system did not answer within 1000 ms");
  EXPECT_EQ(disk.path, "/dead");
  take_space(disk, {.out = "/dead: Permission denied"}, std::chrono::seconds(1));
  EXPECT_EQ(disk.free_bytes.why, "/dead: Permission denied");
  take_space(disk, {.out = ""}, std::chrono::seconds(1));
  EXPECT_NE(disk.free_bytes.why, "");
}

}  // namespace
}  // namespace yonder::outpost
