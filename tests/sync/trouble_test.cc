// What goes wrong while a sync runs.
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>

#include "base/text.h"
#include "sync/fixture.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using ::testing::IsEmpty;

TEST_F(SyncTest, FilesThatChangeBetweenTheListAndTheCopyArriveAsTheyAreThen) {
  write(here("grows"), "short");
  write(here("shrinks"), "something longer");
  write(here("vanishes"), "x");
  write(here("becomes a directory"), "x");
  write(here("stays"), "x");
  bool changed = false;
  const auto report = run(push_request(), {.on_plan = [&](const Plan&) {
                            if (std::exchange(changed, true)) return Result<void>();
                            write(here("grows"), "short, but now longer");
                            write(here("shrinks"), "short");
                            fs::remove(here("vanishes"));
                            fs::remove(here("becomes a directory"));
                            fs::create_directory(here("becomes a directory"));
                            return Result<void>();
                          }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->failed, IsEmpty());
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, AFileThatNeverStopsChangingIsReported) {
  write(here("log"), "0");
  write(here("stays"), "x");
  std::size_t size = 1;
  const auto report = run(push_request(), {.on_plan = [&](const Plan&) {
                            write(here("log"), std::string(++size, 'x'));
                            return Result<void>();
                          }});
  ASSERT_TRUE(report) << report.error().message;
  ASSERT_EQ(report->failed.size(), 1U);
  EXPECT_EQ(report->failed[0].path, "log");
  EXPECT_FALSE(fs::exists(there("log")));
  EXPECT_EQ(read(there("stays")), "x");
  EXPECT_THAT(temporaries(there()), IsEmpty());
}

TEST_F(SyncTest, AFarFileThatChangesMeanwhileIsNotOverwritten) {
  write(here("a"), "mine");
  write(here("b"), "mine");
  write(there("a"), "the old one");
  int plans = 0;
  const auto report =
      run(push_request(), {.on_plan = [&](const Plan&) {
            write(there("a"), std::string(20U + static_cast<unsigned>(++plans), 'x'));
            write(there("b"), std::string(40U + static_cast<unsigned>(plans), 'y'));
            return Result<void>();
          }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(read(there("a")), std::string(22, 'x'));
  EXPECT_EQ(read(there("b")), std::string(42, 'y'));
  EXPECT_FALSE(report->complete());
  EXPECT_THAT(temporaries(there()), IsEmpty());
}

// Somebody swaps a directory for a link that leads outside, in the middle.
TEST_F(SyncTest, NothingIsWrittenThroughALinkThatAppearsMeanwhile) {
  for (const bool push : {true, false}) {
    const std::string source = push ? here() : there();
    const std::string target = push ? there() : here();
    const std::string outside = concat(base_, "/outside", push ? "1" : "2");
    fs::create_directory(outside);
    fs::create_directories(target + "/d/e");
    write(source + "/d/e/new", "x");
    write(source + "/d/large", noise(17 * kMiB, 3));
    const auto report = run(push ? push_request() : pull_request(), {.on_plan = [&](const Plan&) {
                              if (fs::is_symlink(target + "/d")) return Result<void>();
                              fs::rename(target + "/d", outside + "/moved");
                              fs::create_symlink(outside + "/moved", target + "/d");
                              return Result<void>();
                            }});
    ASSERT_TRUE(report) << report.error().message;
    EXPECT_FALSE(report->complete());
    EXPECT_FALSE(fs::exists(outside + "/moved/e/new"));
    EXPECT_FALSE(fs::exists(outside + "/moved/large"));
    EXPECT_THAT(temporaries(outside), IsEmpty());
    fs::remove_all(here());
    fs::remove_all(there());
    fs::create_directory(here());
    fs::create_directory(there());
  }
}

TEST_F(SyncTest, LinksThatAreCutAgainAndAgainBringEverythingInTheEnd) {
  use_memory();
  push();  // the outpost is there from now on: what is cut is the sync
  for (int i = 0; i < 40; ++i) write(here(concat("d", i % 5, "/f", i)), noise(100000, 7));
  write(here("large"), noise(20 * kMiB, 8));
  std::vector<std::string> ways;
  for (const std::size_t n : {30UL, 90UL}) {
    ways.push_back(cut_to(n * 100000));
    ways.push_back(cut_from(n * 30));
  }
  ways.push_back("sh");
  set_ways(ways);
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_GE(report.reconnects, 3);
  EXPECT_EQ(report.files_sent, 41U);
  EXPECT_EQ(report.directories_made, 5U);
  EXPECT_EQ(difference(), "");
  EXPECT_THAT(temporaries(there()), IsEmpty());
}

TEST_F(SyncTest, PullsOverLinksThatAreCutBringEverythingInTheEnd) {
  use_memory();
  push();
  for (int i = 0; i < 40; ++i) write(there(concat("d", i % 5, "/f", i)), noise(100000, 7));
  write(there("large"), noise(20 * kMiB, 8));
  std::vector<std::string> ways;
  for (const std::size_t n : {30UL, 60UL, 90UL}) ways.push_back(cut_from(n * 100000));
  ways.push_back("sh");
  set_ways(ways);
  const SyncReport report = pull();
  EXPECT_TRUE(report.complete());
  EXPECT_GE(report.reconnects, 3);
  EXPECT_EQ(difference(), "");
  EXPECT_THAT(temporaries(here()), IsEmpty());
}

TEST_F(SyncTest, ALargeSingleFileGoesOnWhereItWasCut) {
  use_memory();
  push();
  write(here("large"), noise(64 * kMiB, 8));
  set_ways({cut_to(50 * kMiB), when_all_have_left() + "exec sh"});
  most_links_ = 1;  // with more of them, nobody knows how much goes over the one that is cut
  SyncRequest request = push_request();
  request.local_path = here("large");
  request.remote_path = there("copy");
  const auto report = run(request);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(report->reconnects, 1);
  EXPECT_LT(report->bytes_on_wire, 80 * kMiB);
  EXPECT_LT(report->bytes_sent, 80 * kMiB);
  EXPECT_TRUE(read(here("large")) == read(there("copy")));
  EXPECT_THAT(temporaries(there()), IsEmpty());
}

class KilledSync : public SyncTest {
 protected:
  // Another process syncs, and is killed when so much has arrived.
  void kill_midway(const SyncRequest& request, const std::string& target, std::uint64_t bytes) {
    hang_up();
    const pid_t child = ::fork();
    if (child == 0) {
      (void)run(request);
      ::_exit(0);
    }
    EXPECT_TRUE(eventually([&] { return bytes_below(target) >= bytes; }));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return !somebody_works_in(target); }));
    hang_up();
  }
  static std::uint64_t bytes_below(const std::string& root) {
    std::uint64_t bytes = 0;
    std::error_code gone;
    for (const auto& item : fs::recursive_directory_iterator(root, gone)) {
      struct stat info {};
      if (::lstat(item.path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
        bytes += static_cast<std::uint64_t>(info.st_blocks) * 512;
      }
    }
    return bytes;
  }
};

TEST_F(KilledSync, APushThatWasKilledGoesOnWithItsLargeFile) {
  use_memory();
  push();
  write(here("large"), noise(96 * kMiB, 8));
  set_ways(
      {"perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.001); "
       "syswrite(STDOUT, $b) }' | sh"});
  kill_midway(push_request(), there(), 40 * kMiB);
  const SyncReport report = push();
  EXPECT_TRUE(report.complete());
  EXPECT_LT(report.bytes_on_wire, 90 * kMiB);
  EXPECT_EQ(difference(), "");
  EXPECT_THAT(temporaries(there()), IsEmpty());
}

TEST_F(KilledSync, APullThatWasKilledGoesOnWithItsLargeFile) {
  use_memory();
  push();
  write(there("large"), noise(96 * kMiB, 8));
  set_ways(
      {"sh | perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.001); "
       "syswrite(STDOUT, $b) }'"});
  kill_midway(pull_request(), here(), 40 * kMiB);
  const SyncReport report = pull();
  EXPECT_TRUE(report.complete());
  EXPECT_LT(report.bytes_on_wire, 90 * kMiB);  // how much had arrived is up to the machine
  EXPECT_EQ(difference(), "");
  EXPECT_THAT(temporaries(here()), IsEmpty());
}

TEST_F(KilledSync, WhatItSentIsNotTakenForSomebodyElsesChange) {
  use_memory();
  for (int i = 0; i < 100; ++i) write(here(concat("f", i)), "old");
  push();
  for (int i = 0; i < 100; ++i) write(here(concat("f", i)), noise(200000, 4));
  set_ways(
      {"perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.002); "
       "syswrite(STDOUT, $b) }' | sh"});
  kill_midway(push_request(), there(), 5 * kMiB);
  for (int i = 0; i < 100; ++i) write(here(concat("f", i)), "edited since");
  const SyncReport report = push();
  EXPECT_EQ(report.plan.counts.conflicts, 0U);
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, ACancelledSyncLeavesNoHalfFileAndNobodyAtWork) {
  use_memory();
  for (const bool push : {true, false}) {
    const std::string source = push ? here() : there();
    const std::string target = push ? there() : here();
    for (int i = 0; i < 100; ++i) write(concat(source, "/f", i), noise(1000000, 4));
    set_ways(
        {"perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.001); "
         "syswrite(STDOUT, $b) }' | sh"});
    const CancelSource cancel;
    const auto report =
        run(push ? push_request() : pull_request(),
            {.cancel = cancel.token(), .on_progress = [&](const Progress& progress) {
               if (progress.bytes_done > 10000000) cancel.cancel();
             }});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Errc::Cancelled);
    EXPECT_TRUE(eventually([&] { return !somebody_works_in(target); }));
    EXPECT_THAT(temporaries(target), IsEmpty());
    const auto whole = picture(source);
    for (const auto& [path, state] : picture(target)) EXPECT_EQ(state, whole.at(path)) << path;
    fs::remove_all(here());
    fs::remove_all(there());
    fs::create_directory(here());
    fs::create_directory(there());
  }
}

TEST_F(SyncTest, TwoSyncsIntoOneTargetDoNotMixTheirFiles) {
  use_memory();
  push();
  fs::create_directory(concat(base_, "/other"));
  const std::array<timespec, 2> same{timespec{1700000000, 1}, timespec{1700000000, 1}};
  std::map<std::string, std::pair<std::string, std::string>> versions;
  for (int i = 0; i < 30; ++i) {
    const std::string name = concat("f", i);
    const std::size_t size = i < 3 ? 33 * kMiB : 100000;
    versions[name] = {noise(size, 1), noise(size, 2)};
    write(here(name), versions[name].first);
    write(concat(base_, "/other/", name), versions[name].second);
    ::utimensat(AT_FDCWD, here(name).c_str(), same.data(), 0);
    ::utimensat(AT_FDCWD, concat(base_, "/other/", name).c_str(), same.data(), 0);
  }
  SyncRequest second = push_request();
  second.local_path = concat(base_, "/other");
  std::thread other([&] { EXPECT_TRUE(run(second)); });
  const auto first = run(push_request());
  other.join();
  ASSERT_TRUE(first);
  for (const auto& [name, both] : versions) {
    const std::string now = read(there(name));
    EXPECT_TRUE(now == both.first || now == both.second) << name;
  }
}

TEST_F(SyncTest, AReadOnlyFileSystemIsReported) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(there(), "size=1m,ro", MS_RDONLY) &&
        !testing::mount_tmpfs(there(), "size=1m", MS_RDONLY)) {
      return "mount";
    }
    hang_up();
    write(here("a"), "a");
    write(here("d/b"), "b");
    const auto report = run(push_request());
    if (!report) return report.error().message;
    if (report->complete()) return "it claims to be complete";
    if (report->files_sent != 0 || report->directories_made != 0) return "it claims to have sent";
    return "";
  });
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace yonder::sync
