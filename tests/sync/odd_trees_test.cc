// Trees as they should not be, but are.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;

void set_mtime(const std::string& path, std::int64_t seconds, long nanoseconds) {
  const timespec when{static_cast<time_t>(seconds), nanoseconds};
  const std::array<timespec, 2> times{when, when};
  ASSERT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
}

std::vector<std::string> odd_names() {
  return {"new\nline",   "quo'te\"s",           "-rf",     "--",  "*",     "$(touch x)",
          "back\\slash", "\xff\xfe bad utf-8",  " ",       "~",   "~root", "%s%n",
          "\x1b[31mred", std::string(255, 'n'), "a\tb",    "#x#", "!x",    "[a-z]",
          "\xc3\xa4",    "a\xcc\x88",           ".hidden", "...", "..x"};
}

TEST_F(SyncTest, OddNamesGoThroughBothWays) {
  for (const auto& name : odd_names()) {
    write(here(name), "content of " + name);
    fs::create_directory(here("d"));
    write(here("d/" + name + "/" + name), "deeper");
    fs::create_symlink(name, here("d/" + name + "/link"));
  }
  const SyncReport report = push({.default_rules = false});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(difference(), "");
  fs::remove_all(here());
  EXPECT_TRUE(pull({.default_rules = false}).complete());
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(pull({.default_rules = false}).files_sent, 0U);
}

TEST_F(SyncTest, ADeepTreeGoesThrough) {
  use_memory();
  std::string path = here();
  for (int level = 0; level < 200; ++level) path += "/level";
  fs::create_directories(path);
  write(path + "/bottom", "deep");
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(difference(), "");
  fs::remove_all(here("level"));
  EXPECT_TRUE(pull().complete());
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, ATreeThatIsTooDeepIsReportedAndTheRestArrives) {
  use_memory();
  Fd at(::open(here().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int level = 0; level < 3000; ++level) {
    ASSERT_EQ(::mkdirat(at.get(), "deep", 0755), 0);
    at = Fd(::openat(at.get(), "deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  write(here("other"), "other");
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.unreadable, 1U);
  EXPECT_EQ(read(there("other")), "other");
  EXPECT_TRUE(pull().failed.empty());
}

TEST_F(SyncTest, AHundredThousandFilesInOneDirectory) {
  use_memory();
  fs::create_directory(here("d"));
  const Fd directory(::open(here("d").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int i = 0; i < 100000; ++i) {
    const std::string name = concat("file-", i);
    const Fd file(::openat(directory.get(), name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    ASSERT_EQ(::write(file.get(), name.data(), name.size()), static_cast<ssize_t>(name.size()));
  }
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.files_sent, 100000U);
  EXPECT_EQ(read(there("d/file-99999")), "file-99999");
  EXPECT_EQ(push().files_sent, 0U);
}

TEST_F(SyncTest, SpecialFilesAreLeftOutAndNamed) {
  write(here("a"), "one");
  ASSERT_EQ(::mkfifo(here("fifo").c_str(), 0600), 0);
  const Fd sock(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX};
  here("sock").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(sock.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const bool device = ::mknod(here("null").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0;
  fs::create_symlink("nowhere", here("broken"));
  fs::create_symlink("loop", here("loop"));
  fs::create_symlink("/dev/zero", here("zero"));
  write(there("fifo"), "kept, as the name is taken in the source");
  const SyncReport report = push({.delete_extras = true});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.plan.counts.special, device ? 3U : 2U);
  EXPECT_EQ(report.files_sent, 4U);
  EXPECT_TRUE(fs::exists(there("fifo")));
  EXPECT_EQ(fs::read_symlink(there("loop")), "loop");
  EXPECT_EQ(fs::read_symlink(there("zero")), "/dev/zero");
}

TEST_F(SyncTest, TimesBefore1970AndAfter2038StayBothWays) {
  write(here("old"), "old");
  write(here("odd"), "odd");
  write(here("late"), "late");
  write(here("dir/x"), "x");
  write(here("later/x"), "x");
  fs::create_symlink("old", here("link"));
  set_mtime(here("old"), -86400, 1);
  set_mtime(here("odd"), -1, 999999999);
  set_mtime(here("late"), 4102444800, 5);
  set_mtime(here("link"), -5, 7);
  set_mtime(here("dir"), -77, 123456789);
  set_mtime(here("later"), 4202444800, 1);
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(difference(), "");
  EXPECT_EQ(push().files_sent, 0U);
  fs::remove_all(here());
  EXPECT_TRUE(pull().complete());
  EXPECT_EQ(difference(), "");
  EXPECT_TRUE(pull({.checksum = true}).plan.empty());
}

TEST_F(SyncTest, EmptyFilesGoThroughAndAreReplaced) {
  write(here("a"), "");
  write(here("b"), "full");
  push();
  write(here("a"), "full");
  write(here("b"), "");
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(difference(), "");
}

// Directories of a group hand their group on: whoever shares the target relies on it.
TEST_F(SyncTest, SetIdBitsAreNotCopiedAndThoseOfTheTargetsDirectoriesStay) {
  write(here("d/program"), "x", 04755);
  ASSERT_EQ(::mkdir(there("d").c_str(), 0755), 0);
  ASSERT_EQ(::chmod(there("d").c_str(), 02755), 0);
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(testing::mode_of(there("d/program")), 0755U);
  struct stat info {};
  ASSERT_EQ(::stat(there("d").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 02755U);
  EXPECT_EQ(push().attributes_set, 0U);
}

TEST_F(SyncTest, DirectoriesKeepTheirModes) {
  std::vector<mode_t> modes{0555U, 0700U, 01777U, 0750U};
  if (::geteuid() == 0) modes.push_back(0);  // its owner could not look into it
  for (const mode_t mode : modes) {
    const std::string name = concat("d", static_cast<unsigned>(mode));
    write(here(name + "/inside"), "x");
    ASSERT_EQ(::chmod(here(name).c_str(), mode), 0);
  }
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(difference(), "");
  ASSERT_EQ(::chmod(here("d448").c_str(), 0711), 0);
  EXPECT_TRUE(push().complete());
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, AReadOnlyDirectoryIsUpdatedByItsOwner) {
  const std::string problem = as_nobody([&]() -> std::string {
    write(here("d/a"), "one");
    write(here("d/gone"), "gone");
    ::chmod(here("d").c_str(), 0555);
    if (!push().complete()) return "the first push";
    ::chmod(here("d").c_str(), 0755);
    write(here("d/a"), "two!");
    write(here("d/new"), "new");
    fs::remove(here("d/gone"));
    ::chmod(here("d").c_str(), 0555);
    if (!push({.delete_extras = true}).complete()) return "the second push";
    if (picture(here()) != picture(there())) return "they differ";
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(SyncTest, WhatCannotBeReadIsNamedAndNeverDeletedOverThere) {
  const std::string problem = as_nobody([&]() -> std::string {
    write(here("ok"), "ok");
    write(here("secret"), "secret");
    write(here("closed/inside"), "inside");
    if (!push().complete()) return "the first push";
    write(here("secret"), "changed", 0);
    ::chmod(here("closed").c_str(), 0);
    for (const bool dry_run : {true, false}) {
      SyncRequest request = push_request();
      request.options.delete_extras = true;
      request.dry_run = dry_run;
      const auto report = run(request);
      if (!report || report->complete()) return "it claims to be complete";
      if (report->plan.counts.unreadable != 2) return "the directory or the file is not named";
      if (report->plan.counts.update_files != 0) return "it means to copy the file";
      if (!report->failed.empty()) return "it has tried";
    }
    if (!fs::exists(there("secret"))) return "the file is gone";
    ::chmod(there("closed").c_str(), 0755);
    if (read(there("closed/inside")) != "inside") return "the directory's file is gone";
    if (!temporaries(there()).empty()) return "temporaries are left";
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(SyncTest, ATargetThatCannotBeWrittenIsAReportAndNoCrash) {
  const std::string problem = as_nobody([&]() -> std::string {
    write(here("a"), "one");
    write(here("d/b"), "two");
    fs::create_directory(there("d"));
    ::chmod(there().c_str(), 0555);
    const SyncReport report = push();
    ::chmod(there().c_str(), 0755);
    if (report.failed.size() != 1 || report.failed[0].path != "a") return "a is not named";
    if (read(there("d/b")) != "two") return "d/b is not there";
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(SyncTest, ATargetThatIsAFileIsRefused) {
  write(here("a"), "one");
  SyncRequest request = push_request();
  write(there("file"), "a file");
  request.remote_path = there("file");
  const auto report = run(request);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::Conflict);
  EXPECT_EQ(read(there("file")), "a file");
}

TEST_F(SyncTest, ADirectoryInThePlaceOfAFileAndTheOtherWayRoundStay) {
  write(here("x"), "file");
  write(there("x/inside"), "theirs");
  write(here("y/inside"), "mine");
  write(there("y"), "file");
  write(here("z"), "fine");
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.in_the_way, 3U);
  EXPECT_FALSE(report.complete());
  EXPECT_EQ(read(there("x/inside")), "theirs");
  EXPECT_EQ(read(there("y")), "file");
  EXPECT_EQ(read(there("z")), "fine");
}

TEST_F(SyncTest, ALinkInThePlaceOfADirectoryIsNotFollowed) {
  fs::create_directory(scratch_ / "outside");
  write(here("d/a"), "mine");
  fs::create_symlink(scratch_ / "outside", there("d"));
  push();
  EXPECT_TRUE(fs::is_empty(scratch_ / "outside"));
}

TEST_F(SyncTest, ANameThatIsTooLongOnceItIsSetAsideIsShortened) {
  const std::string longest(255, 'n');
  write(here(longest), "one");
  push();
  write(there(longest), "theirs, longer");
  write(here(longest), "mine");
  write(here("other"), "other");
  const SyncReport report = push({.on_conflict = ConflictChoice::Both});
  EXPECT_TRUE(report.failed.empty());
  EXPECT_EQ(read(there(longest)), "mine");
  EXPECT_EQ(read(there("other")), "other");
  std::size_t kept = 0;
  for (const auto& entry : fs::directory_iterator(there(""))) {
    if (entry.is_regular_file() && read(entry.path()) == "theirs, longer") ++kept;
  }
  EXPECT_EQ(kept, 1U);
}

TEST_F(SyncTest, SparseFilesStaySparseOnTheWayBack) {
  {
    const Fd file(::open(there("sparse").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    ASSERT_EQ(::ftruncate(file.get(), 5LL * 1024 * 1024 * 1024), 0);
    ASSERT_EQ(::pwrite(file.get(), "middle", 6, 3LL * 1024 * 1024 * 1024), 6);
  }
  const SyncReport report = pull();
  EXPECT_TRUE(report.complete());
  struct stat info {};
  ASSERT_EQ(::stat(here("sparse").c_str(), &info), 0);
  EXPECT_EQ(info.st_size, 5LL * 1024 * 1024 * 1024);
  EXPECT_LT(info.st_blocks, 1000);
  EXPECT_LT(report.bytes_on_wire, 1024U * 1024);
}

}  // namespace
}  // namespace yonder::sync
