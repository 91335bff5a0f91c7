// The directories that a sync is about, themselves.
#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class Roots : public SyncTest {
 protected:
  // Mode and time of a directory.
  static std::string look_of(const std::string& path) {
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return "missing";
    return concat(info.st_mode & 07777U, " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec);
  }
  static void dress(const std::string& path, mode_t mode, time_t seconds) {
    EXPECT_EQ(::chmod(path.c_str(), mode), 0);
    const std::array<timespec, 2> times{timespec{seconds, 5}, timespec{seconds, 5}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), 0), 0);
  }
  std::string new_place(const SyncRequest& request) const {
    return request.direction == Direction::Push ? there("new/root") : here("new/root");
  }
  std::vector<SyncRequest> both_ways() const {
    SyncRequest push = push_request();
    push.remote_path = there("new/root");
    SyncRequest pull = pull_request();
    pull.local_path = here("new/root");
    return {push, pull};
  }
};

TEST_F(Roots, AreMadeEvenWhenThereIsNothingToPutIntoThem) {
  for (const SyncRequest& request : both_ways()) {
    const auto report = run(request);
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_TRUE(report->complete());
    EXPECT_TRUE(fs::is_directory(new_place(request)));
    fs::remove_all(fs::path(new_place(request)).parent_path());
  }
}

TEST_F(Roots, AreMadeWhenTheRulesLeaveEverythingOut) {
  write(here("a"), "one");
  SyncRequest request = both_ways()[0];
  request.options.excludes = {"*"};
  ASSERT_TRUE(run(request));
  EXPECT_TRUE(fs::is_directory(there("new/root")));
  EXPECT_TRUE(fs::is_empty(there("new/root")));
}

TEST_F(Roots, AreNotMadeByADryRun) {
  SyncRequest request = both_ways()[0];
  request.dry_run = true;
  const auto report = run(request);
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->plan.makes_root);
  EXPECT_FALSE(fs::exists(there("new")));
}

TEST_F(Roots, KeepModeAndTimeWhereASyncHasMadeThem) {
  for (const SyncRequest& request : both_ways()) {
    const bool push = request.direction == Direction::Push;
    const std::string source = push ? here() : there();
    write(source + "/a", "one");
    dress(source, 0700, 1000000);
    ASSERT_TRUE(run(request));
    EXPECT_EQ(look_of(new_place(request)), look_of(source));
    dress(source, 0750, 2000000);
    ASSERT_TRUE(run(request));
    EXPECT_EQ(look_of(new_place(request)), look_of(source));
    const auto again = run(request);
    ASSERT_TRUE(again);
    EXPECT_TRUE(again->plan.directories.empty());
    fs::remove_all(fs::path(new_place(request)).parent_path());
  }
}

TEST_F(Roots, ThatWereThereBeforeKeepTheirOwnMode) {
  write(here("a"), "one");
  dress(here(), 0700, 1000000);
  dress(there(), 0755, 3000000);
  push();
  push();
  struct stat info {};
  ASSERT_EQ(::stat(there().c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0755U);
}

TEST_F(Roots, AreFinishedAlsoWhenTheLinkWasLost) {
  write(here("large"), noise(6 << 20, 1));
  dress(here(), 0711, 1000000);
  deploy();
  set_ways({cut_to(3 << 20), "sh"});
  SyncRequest request = both_ways()[0];
  const auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(report->reconnects, 0);
  EXPECT_EQ(look_of(there("new/root")), look_of(here()));
}

TEST_F(Roots, OnOneMachineMustNotLieWithinEachOther) {
  write(here("a/b"), "one");
  fs::create_directory_symlink(here("a"), there("way"));
  for (const auto& target : {here(), here("a"), here("a/new"), base_, there("way/new")}) {
    SyncRequest request = push_request();
    request.remote_path = target;
    const auto refused = run(request);
    ASSERT_FALSE(refused) << target;
    EXPECT_EQ(refused.error().code, Errc::InvalidArgument);
    EXPECT_THAT(refused.error().message, HasSubstr("is this machine"));
  }
  SyncRequest beside = push_request();
  beside.local_path = here("a/b");
  beside.remote_path = here("a/c");
  EXPECT_TRUE(run(beside));  // a single file may have a copy beside it
  beside.remote_path = here("a/b");
  EXPECT_FALSE(run(beside));
  EXPECT_EQ(read(here("a/b")), "one");
}

}  // namespace
}  // namespace yonder::sync
