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

}  // namespace
}  // namespace yonder::tree
