#include "tree/late_errors.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>

namespace yonder::tree {
namespace {

TEST(LateErrors, FileSystemsOfOtherMachinesAndProgramsTellThemLate) {
  EXPECT_TRUE(type_tells_errors_late(0x6969));
  EXPECT_TRUE(type_tells_errors_late(0x65735546));
  // Where the type is a signed number of 32 bits.
  EXPECT_TRUE(type_tells_errors_late(static_cast<std::uint64_t>(static_cast<int>(0xFF534D42))));
  EXPECT_FALSE(type_tells_errors_late(0xEF53));      // ext4
  EXPECT_FALSE(type_tells_errors_late(0x01021994));  // tmpfs
}

TEST(LateErrors, ThisProcessesOwnFilesAreNotAmongThem) {
  const Fd proc(::open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_FALSE(tells_errors_late(proc.get()));
}

TEST(LateErrors, AFailedCloseIsSeen) {
  Fd fine(::open("/dev/null", O_WRONLY | O_CLOEXEC));
  EXPECT_EQ(close_and_tell(fine), 0);
  EXPECT_FALSE(fine);
  EXPECT_EQ(close_and_tell(fine), EBADF);
  // Stands for one whose file system has something to say at the end.
  const int number = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  Fd broken(number);
  ::close(number);
  EXPECT_EQ(close_and_tell(broken), EBADF);
}

}  // namespace
}  // namespace yonder::tree
