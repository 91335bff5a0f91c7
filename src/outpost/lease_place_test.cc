#include "outpost/lease_place.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

#include "base/file.h"
#include "base/refused_calls_test.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "base/user_name.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

TEST(LeasePlace, IsLikeTheDirectoryForTemporaryFiles) {
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  const mode_t before = ::umask(0077);
  const auto place = open_lease_place(path);
  ::umask(before);
  ASSERT_TRUE(place) << place.error().message;
  struct stat info {};
  ASSERT_EQ(::stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 01777U);
}

TEST(LeasePlace, IsNeverASymlinkOrAFile) {
  const testing::Scratch scratch;
  ASSERT_EQ(::symlink("/tmp", (scratch / "link").c_str()), 0);
  const auto link = open_lease_place(scratch / "link");
  ASSERT_FALSE(link);
  EXPECT_THAT(link.error().message, HasSubstr("it is a symbolic link to /tmp"));
  EXPECT_THAT(link.error().hint, HasSubstr("rm " + (scratch / "link")));
  ASSERT_TRUE(open_file(scratch / "file", O_WRONLY | O_CREAT));
  const auto file = open_lease_place(scratch / "file");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message, HasSubstr("it is not a directory"));
  EXPECT_THAT(file.error().hint, HasSubstr("1777"));
}

TEST(LeasePlace, OnAFileSystemThatIsFullOrReadOnlySaysSoAndWhatMendsIt) {
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  const auto says = [&](unsigned problem, const char* why) {
    return testing::is_so_in_a_child([&] {
      if (!testing::refuse_calls({
#ifdef SYS_mkdir
              {SYS_mkdir, problem},
#endif
              {SYS_mkdirat, problem}})) {
        return false;
      }
      const auto place = open_lease_place(path);
      return !place && place.error().message.find(why) != std::string::npos &&
             place.error().hint.find("YONDER_GPU_LEASES") != std::string::npos;
    });
  };
  EXPECT_TRUE(says(ENOSPC, "its file system is full"));
  EXPECT_TRUE(says(EROFS, "its file system is read-only"));
  EXPECT_TRUE(says(EDQUOT, "is used up"));
}

TEST(LeasePlace, OfSomebodyElseThatIsClosedIsRefusedWithItsOwner) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  ASSERT_EQ(::mkdir(path.c_str(), 0755), 0);
  ASSERT_EQ(::chown(path.c_str(), 7, 7), 0);
  const auto place = open_lease_place(path);
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message, HasSubstr("belongs to"));
}

TEST(LeasePlace, HasALockThatOnlyOneHoldsToChange) {
  const testing::Scratch scratch;
  const auto place = open_lease_place(scratch / "gpus");
  ASSERT_TRUE(place);
  const auto now = Deadline::after(Duration::zero());
  {
    const auto one = lock_leases(*place, LeaseLock::ToChange, now);
    ASSERT_TRUE(one) << one.error().message;
    EXPECT_FALSE(lock_leases(*place, LeaseLock::ToChange, now));
    EXPECT_FALSE(lock_leases(*place, LeaseLock::ToLook, now));
  }
  const auto look = lock_leases(*place, LeaseLock::ToLook, now);
  EXPECT_TRUE(look);
  EXPECT_TRUE(lock_leases(*place, LeaseLock::ToLook, now));
}

TEST(LeasePlace, SaysWhoHoldsItsLock) {
  const testing::Scratch scratch;
  const auto place = open_lease_place(scratch / "gpus");
  ASSERT_TRUE(place);
  const auto now = Deadline::after(Duration::zero());
  const auto one = lock_leases(*place, LeaseLock::ToLook, now);
  ASSERT_TRUE(one);
  const auto other = lock_leases(*place, LeaseLock::ToChange, now);
  ASSERT_FALSE(other);
  EXPECT_THAT(other.error().message, HasSubstr(concat("process ", ::getpid(), " (")));
  EXPECT_THAT(other.error().message, HasSubstr("of " + user_name(::geteuid())));
}

TEST(LeasePlace, CannotBeLockedAwayByAFileOfItsName) {
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  const auto place = open_lease_place(path);
  ASSERT_TRUE(place);
  ASSERT_EQ(::mkfifo((path + "/lock").c_str(), 0600), 0);
  EXPECT_TRUE(lock_leases(*place, LeaseLock::ToChange, testing::patience()));
}

TEST(LeasePlace, KnowsWhenItIsNotTheOneAtThePathAnyMore) {
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  const auto place = open_lease_place(path);
  ASSERT_TRUE(place);
  EXPECT_TRUE(is_lease_place(*place, path));
  ASSERT_EQ(::rmdir(path.c_str()), 0);
  EXPECT_FALSE(is_lease_place(*place, path));
  const auto fresh = open_lease_place(path);
  ASSERT_TRUE(fresh);
  EXPECT_FALSE(is_lease_place(*place, path));
  EXPECT_TRUE(is_lease_place(*fresh, path));
}

TEST(LeasePlace, WithoutAStickyBitIsRefusedWithWhatMendsIt) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  const testing::Scratch scratch;
  const std::string path = scratch / "gpus";
  ASSERT_EQ(::mkdir(path.c_str(), 0755), 0);
  ASSERT_EQ(::chmod(path.c_str(), 0777), 0);
  ASSERT_EQ(::chown(path.c_str(), 7, 7), 0);
  const auto place = open_lease_place(path);
  ASSERT_FALSE(place);
  EXPECT_THAT(place.error().message, HasSubstr("has mode 0777, so everybody could remove"));
  EXPECT_THAT(place.error().hint, HasSubstr("chmod 1777 " + path));
}

}  // namespace
}  // namespace yonder::outpost
