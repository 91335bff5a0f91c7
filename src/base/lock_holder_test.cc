#include "base/lock_holder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/sysmacros.h>

#include "base/file.h"
#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder {
namespace {

using ::testing::HasSubstr;

TEST(LockHolder, IsFoundByDeviceAndInode) {
  const std::string_view locks =
      "1: POSIX  ADVISORY  WRITE 11 08:01:123 0 EOF\n"
      "2: FLOCK  ADVISORY  WRITE 12 08:02:123 0 EOF\n"
      "3: FLOCK  ADVISORY  WRITE 13 08:01:123 0 EOF\n"
      "3: -> FLOCK  ADVISORY  WRITE 14 08:01:123 0 EOF\n"
      "4: FLOCK  ADVISORY  READ  -1 fd:0a:7 0 EOF\n";
  EXPECT_EQ(flock_holder(locks, makedev(8, 1), 123), 13);
  EXPECT_EQ(flock_holder(locks, makedev(8, 2), 123), 12);
  EXPECT_EQ(flock_holder(locks, makedev(0xfd, 0x0a), 7), 0) << "of another pid namespace";
  EXPECT_EQ(flock_holder("", makedev(8, 1), 123), 0);
  EXPECT_EQ(flock_holder("rubbish\n1: FLOCK\n", makedev(8, 1), 123), 0);
}

TEST(LockHolder, IsNamedWithItsProcess) {
  const testing::Scratch scratch;
  const auto file = open_file(scratch.write("file", ""), O_RDONLY);
  ASSERT_TRUE(file);
  EXPECT_THAT(describe_flock_holder(*file), HasSubstr("cannot be seen"));
  ASSERT_EQ(::flock(file->get(), LOCK_EX), 0);
  EXPECT_THAT(describe_flock_holder(*file), HasSubstr(concat("process ", ::getpid(), " (")));
}

}  // namespace
}  // namespace yonder
