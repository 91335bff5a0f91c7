#include "tree/file_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

using ::testing::HasSubstr;
using yonder::testing::Scratch;

Result<FilePlace> followed(const std::string& path) {
  return find_place(path, LastLink::IsFollowed, Parents::MustExist);
}

TEST(FilePlaceLock, OfAnotherIsReportedWithItsHolder) {
  const Scratch scratch;
  const auto place = followed(scratch / "f");
  ASSERT_TRUE(place) << place.error().message;
  const auto one = lock_directory(*place);
  ASSERT_TRUE(one) << one.error().message;
  const auto other = lock_directory(*place, Duration::zero());
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::Conflict);
  EXPECT_THAT(other.error().message, HasSubstr(concat("is locked by process ", ::getpid())));
}

// As fs.protected_symlinks has it for everything that the kernel follows.
TEST(FilePlaceLink, OfAnotherUserInASharedDirectoryIsNotFollowed) {
  if (!lab::may_be_other_users()) lab::skip_for(lab::Need::Users);
  const Scratch scratch;
  const std::string shared = scratch / "shared";
  ASSERT_EQ(::mkdir(shared.c_str(), 0700), 0);
  const std::string link = shared + "/link";
  ASSERT_EQ(::symlink((scratch / "target").c_str(), link.c_str()), 0);
  ASSERT_EQ(::chmod(shared.c_str(), 01777), 0);
  EXPECT_TRUE(followed(link)) << "one's own";
  ASSERT_EQ(::lchown(link.c_str(), 7, 7), 0);
  const auto refused = followed(link);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Denied);
  EXPECT_TRUE(find_place(link, LastLink::IsMeant, Parents::MustExist)) << "nothing is followed";
  ASSERT_EQ(::chown(shared.c_str(), 7, 7), 0);
  EXPECT_TRUE(followed(link)) << "of the owner of the directory";
  ASSERT_EQ(::chown(shared.c_str(), 0, 0), 0);
  ASSERT_EQ(::chmod(shared.c_str(), 0755), 0);
  EXPECT_TRUE(followed(link)) << "not every user may make one here";
}

}  // namespace
}  // namespace yonder::tree
