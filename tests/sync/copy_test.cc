#include <fcntl.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"
#include "tree/extended_attributes.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;

// Short things pass at once; of long ones, 10 MB a second.
constexpr const char* kNarrow =
    "perl -e 'while ($n = sysread(STDIN, $b, 65536)) { select(undef, undef, undef, $n / 1e7); "
    "syswrite(STDOUT, $b) }'";

TEST_F(SyncTest, ANearLinkThatIsSlowerThanTheCompressorGetsLessToCarry) {
  use_memory();
  most_links_ = 1;
  std::string text;
  for (int i = 0; text.size() < 800000; ++i) text += concat("value_", i * 7919 % 997, " = (\n");
  for (const bool to_there : {true, false}) {
    set_ways({to_there ? concat(kNarrow, " | sh") : concat("sh | ", kNarrow)});
    pull();  // from now on it is known how near it is
    for (int i = 0; i < 24; ++i) {
      write(concat(to_there ? here() : there(), "/", to_there ? "a" : "b", i), text);
    }
    const SyncReport report = to_there ? push() : pull();
    EXPECT_TRUE(report.complete());
    EXPECT_EQ(report.bytes_sent, 24 * text.size());
    EXPECT_LT(report.bytes_on_wire, report.bytes_sent / 2);
  }
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, APushMakesTheTargetAsTheSource) {
  write(here("a.txt"), "hello");
  write(here("dir/b.sh"), "#!/bin/sh\n", 0755);
  write(here("dir/empty"), "");
  fs::create_directory(here("hollow"));
  fs::create_symlink("a.txt", here("link"));
  fs::create_symlink("nowhere", here("broken"));
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.files_sent, 5U);
  EXPECT_EQ(report.directories_made, 2U);
  EXPECT_EQ(picture(here()), picture(there()));
  const SyncReport again = push();
  EXPECT_TRUE(again.complete());
  EXPECT_EQ(again.files_sent, 0U);
  EXPECT_EQ(again.plan.counts.unchanged, 7U);
}

TEST_F(SyncTest, APullMakesTheTargetAsTheSource) {
  write(there("a.txt"), "hello");
  write(there("dir/b.sh"), "#!/bin/sh\n", 0755);
  fs::create_symlink("a.txt", there("link"));
  fs::create_directory(there("hollow"));
  const SyncReport report = pull();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(picture(here()), picture(there()));
  EXPECT_EQ(pull().files_sent, 0U);
}

TEST_F(SyncTest, LargeFilesArriveInSegmentsBothWays) {
  std::string content(20 * 1024 * 1024 + 17, '\0');
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7 + i / 4099);
  write(here("large"), content);
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(picture(here()), picture(there()));
  fs::remove(here("large"));
  EXPECT_TRUE(pull().complete());
  EXPECT_EQ(picture(here()), picture(there()));
}

// Further links are wanted after a while, and never come up.
TEST_F(SyncTest, ACopyThatIsDoneDoesNotWaitForALoginThatHangs) {
  slow_link();
  const auto first = this->ways();
  Duration took = testing::kPatience;
  // A copy that waits does so until the login is given up, after half a minute, each time.
  for (std::uint64_t tries = 0; took >= std::chrono::seconds(30) && tries < 5; ++tries) {
    hang_up();
    auto ways = first;
    ways.emplace_back("exec sleep 3600");
    set_ways(ways);
    write(here("large"), noise(24UL * 1024 * 1024, 3 + tries));
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(push().complete());
    took = std::chrono::steady_clock::now() - began;
  }
  EXPECT_LT(took, std::chrono::seconds(30));
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, AChangedFileIsUpdatedAndTheOldOneKept) {
  write(here("a"), "one");
  push();
  write(here("a"), "two!");
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.update_files, 1U);
  EXPECT_EQ(read(there("a")), "two!");
  EXPECT_EQ(report.trash_batches.size(), 1U);
}

std::string attribute(const std::string& path, const char* name) {
  std::string value(256, '\0');
  const ssize_t n = ::lgetxattr(path.c_str(), name, value.data(), value.size());
  value.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return value;
}

bool set_attribute(const std::string& path, const char* name, const std::string& value) {
  return ::lsetxattr(path.c_str(), name, value.data(), value.size(), 0) == 0;
}

TEST_F(SyncTest, AttributesOfUsersTravelBothWaysAndOthersAreCounted) {
  write(here("small"), "one");
  write(here("large"), noise(20UL * 1024 * 1024, 7));
  write(here("d/x"), "two");
  if (!set_attribute(here("small"), "user.a", "1") || !set_attribute(here("d"), "user.d", "2")) {
    GTEST_SKIP() << "this file system has no extended attributes";
  }
  ASSERT_TRUE(set_attribute(here("large"), "user.l", std::string("\0\xff", 2)));
  const std::string list = tree::access_list({{tree::AccessEntry::Who::Owner, 6},
                                              {tree::AccessEntry::Who::User, 4, 12345},
                                              {tree::AccessEntry::Who::Group, 0},
                                              {tree::AccessEntry::Who::Mask, 4},
                                              {tree::AccessEntry::Who::Others, 0}});
  const bool has_list = set_attribute(here("d/x"), "system.posix_acl_access", list);
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(attribute(there("small"), "user.a"), "1");
  EXPECT_EQ(attribute(there("large"), "user.l"), std::string("\0\xff", 2));
  EXPECT_EQ(attribute(there("d"), "user.d"), "2");
  EXPECT_EQ(report.attributes_lost, has_list ? 1U : 0U);
  const SyncReport again = push();
  EXPECT_EQ(again.attributes_set + again.attributes_lost + again.files_sent, 0U);
  // The time of the file is the same.
  ASSERT_TRUE(set_attribute(here("small"), "user.a", "3"));
  ASSERT_TRUE(set_attribute(there("small"), "user.theirs", "4"));
  EXPECT_EQ(push().attributes_set, 1U);
  EXPECT_EQ(attribute(there("small"), "user.a"), "3");
  EXPECT_EQ(attribute(there("small"), "user.theirs"), "4");
  fs::remove(here("small"));
  fs::remove(here("large"));
  EXPECT_TRUE(pull().complete());
  EXPECT_EQ(attribute(here("small"), "user.a"), "3");
  EXPECT_EQ(attribute(here("large"), "user.l"), std::string("\0\xff", 2));
}

TEST_F(SyncTest, ExtrasAreRemovedOnlyWhenAskedFor) {
  write(here("a"), "one");
  write(there("extra"), "x");
  push();
  EXPECT_TRUE(fs::exists(there("extra")));
  const SyncReport report = push({.delete_extras = true});
  EXPECT_EQ(report.files_removed, 1U);
  EXPECT_FALSE(fs::exists(there("extra")));
}

TEST_F(SyncTest, AFarFileChangedSinceTheLastSyncIsNotOverwritten) {
  write(here("a"), "one");
  push();
  write(there("a"), "theirs!");
  write(here("a"), "mine");
  const SyncReport report = push();
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(report.plan.counts.conflicts, 1U);
  EXPECT_EQ(read(there("a")), "theirs!");
  EXPECT_EQ(push({.on_conflict = ConflictChoice::KeepLocal}).files_sent, 1U);
  EXPECT_EQ(read(there("a")), "mine");
}

TEST_F(SyncTest, SparseFilesStaySparse) {
  const Fd file(::open(here("sparse").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
  ASSERT_EQ(::ftruncate(file.get(), 5LL * 1024 * 1024 * 1024), 0);
  ASSERT_EQ(::pwrite(file.get(), "middle", 6, 3LL * 1024 * 1024 * 1024), 6);
  EXPECT_TRUE(push().complete());
  struct stat info {};
  ASSERT_EQ(::stat(there("sparse").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 5LL * 1024 * 1024 * 1024);
  EXPECT_LT(info.st_blocks, 1000);
}

}  // namespace
}  // namespace yonder::sync
