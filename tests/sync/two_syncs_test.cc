// Two syncs of the same directories at the same time.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using testing::eventually;

ino_t inode_of(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_ino : 0;
}

// What is said of a path: it is there, or why not.
bool is_accounted_for(const Result<SyncReport>& report, const std::string& path) {
  if (!report) return false;
  if (report->complete()) return true;
  const auto& left = report->plan.left;
  return std::any_of(report->failed.begin(), report->failed.end(),
                     [&](const FailedEntry& entry) { return entry.path == path; }) ||
         std::any_of(left.begin(), left.end(),
                     [&](const LeftOut& entry) { return entry.path == path; });
}

TEST_F(SyncTest, WhoeverChangesAFileAsSoonAsItIsThereIsNotOverwrittenByASecondSync) {
  write(here("large"), "the old one");
  push();
  write(here("large"), noise(40 * kMiB, 7));
  slow_link();
  const ino_t old = inode_of(there("large"));

  std::atomic<bool> over = false;
  std::atomic<bool> changed = false;
  std::thread program([&] {
    while (!over && inode_of(there("large")) == old) std::this_thread::yield();
    const int file = ::open(there("large").c_str(), O_WRONLY | O_CLOEXEC);
    for (off_t at = 0; at < static_cast<off_t>(40 * kMiB); at += kMiB) {
      if (::pwrite(file, "theirs", 6, at) != 6) break;
    }
    changed = ::fchmod(file, 0640) == 0;
    ::close(file);
  });
  Result<SyncReport> one = SyncReport{};
  std::atomic<bool> ended = false;
  std::thread first([&] {
    one = run(push_request());
    ended = true;
  });
  EXPECT_TRUE(eventually([&] { return ended || !temporaries(there()).empty(); }));
  const auto two = run(push_request());
  first.join();
  over = true;
  program.join();

  ASSERT_TRUE(changed);
  const std::string content = read(there("large"));
  ASSERT_EQ(content.size(), 40 * kMiB);
  for (std::size_t at = 0; at < content.size(); at += kMiB) {
    EXPECT_EQ(content.substr(at, 6), "theirs") << at;
  }
  EXPECT_EQ(fs::status(there("large")).permissions(), fs::perms(0640));
  EXPECT_TRUE(is_accounted_for(one, "large"));
  EXPECT_TRUE(is_accounted_for(two, "large"));
}

}  // namespace
}  // namespace yonder::sync
