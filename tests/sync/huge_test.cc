// Files that are nearly all holes.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/fixture.h"

namespace yonder::sync {
namespace {

constexpr off_t kTiB = off_t{1} << 40U;

// With a few bytes near its end. False: this file system has no such files.
bool make_sparse(const std::string& path, off_t size) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  return file && ::ftruncate(file.get(), size) == 0 &&
         ::pwrite(file.get(), "the end", 7, size - 100) == 7;
}

std::string bytes_at(const std::string& path, off_t offset) {
  std::string bytes(7, '-');
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (::pread(file.get(), bytes.data(), bytes.size(), offset) != 7) return "";
  return bytes;
}

off_t size_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_size : -1;
}

class HugeTest : public SyncTest {
 protected:
  HugeTest() { use_memory(); }
  void expect_only_the_others(const SyncReport& report, const std::string& target) const {
    EXPECT_FALSE(report.complete());
    ASSERT_EQ(report.failed.size(), 1U);
    EXPECT_EQ(report.failed[0].path, "huge");
    EXPECT_EQ(report.failed[0].code, Errc::Unsupported);
    EXPECT_EQ(read(target + "/small"), "x");
    EXPECT_EQ(size_of(target + "/huge"), -1);
  }
};

TEST_F(HugeTest, OneThatNobodyCanCopyIsNamedAndTheOthersArrive) {
  if (!make_sparse(here("huge"), off_t{4} << 60U)) GTEST_SKIP() << "no such files here";
  write(here("small"), "x");
  expect_only_the_others(push(), there());
}

TEST_F(HugeTest, NeitherCanAPull) {
  if (!make_sparse(there("huge"), off_t{4} << 60U)) GTEST_SKIP() << "no such files here";
  write(there("small"), "x");
  expect_only_the_others(pull(), here());
}

TEST_F(HugeTest, AskingForItsHashDoesNotTakeForEver) {
  if (!make_sparse(here("huge"), off_t{4} << 60U)) GTEST_SKIP() << "no such files here";
  write(here("small"), "x");
  expect_only_the_others(push({.checksum = true}), there());
}

TEST_F(HugeTest, HolesAreSkippedBothWays) {
  const off_t size = 12 * kTiB + 12345;
  if (!make_sparse(here("huge"), size)) GTEST_SKIP() << "no such files here";
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(size_of(there("huge")), size);
  EXPECT_EQ(bytes_at(there("huge"), size - 100), "the end");
  ASSERT_EQ(::unlink(here("huge").c_str()), 0);
  EXPECT_TRUE(pull().complete());
  EXPECT_EQ(size_of(here("huge")), size);
  EXPECT_EQ(bytes_at(here("huge"), size - 100), "the end");
  EXPECT_EQ(bytes_at(here("huge"), size / 2), std::string(7, '\0'));
}

}  // namespace
}  // namespace yonder::sync
