// Large files of which the target has an old version: what is sent of them, and what is sent again.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/text.h"
#include "sync/fixture.h"
#include "tree/part.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using testing::eventually;
using ::testing::IsEmpty;

// In both directions: true is a push.
class ChangedLargeFile : public SyncTest, public ::testing::WithParamInterface<bool> {
 protected:
  ChangedLargeFile() { use_memory(); }
  static bool pushes() { return GetParam(); }
  std::string source(const std::string& name = "") const {
    return pushes() ? here(name) : there(name);
  }
  std::string target(const std::string& name = "") const {
    return pushes() ? there(name) : here(name);
  }
  SyncRequest request() const { return pushes() ? push_request() : pull_request(); }
  SyncReport sync() { return pushes() ? push() : pull(); }
  // Both sides have it, and the way is slow from now on.
  void begin_with(const std::string& content) {
    write(source("large"), content);
    EXPECT_TRUE(sync().complete());
    slow_ways();
  }
  // Each block waits, so that a difference is worth it, and somebody can come in between.
  static std::string slow(const std::string& more = "") {
    const std::string wait =
        "perl -e 'while (sysread(STDIN, $b, 65536)) { select(undef, undef, undef, 0.004); "
        "syswrite(STDOUT, $b) }'";
    return pushes() ? concat(wait, more, " | sh") : concat("sh", more, " | ", wait);
  }
  void slow_ways() { set_ways({slow()}); }
  static std::string cut_after(std::size_t bytes) {
    return slow(concat(" | perl -e '$n = ", bytes, "; while ($n > 0 && ($r = sysread(STDIN, $b, ",
                       "$n < 65536 ? $n : 65536))) { syswrite(STDOUT, $b); $n -= $r }'"));
  }

  // How many segments were noted in the part file.
  std::uint64_t noted() const {
    for (const auto& name : temporaries(target())) {
      if (!name.ends_with(".map")) continue;
      struct stat info {};
      if (::stat(target(name).c_str(), &info) != 0 || info.st_size == 0) return 0;
      return static_cast<std::uint64_t>(info.st_size) / 24 - 1;  // the first says whose it is
    }
    return 0;
  }
  // Another process syncs, and is killed when so many segments are there. How many are noted then:
  // some more may have arrived.
  std::uint64_t kill_after(std::uint64_t segments) {
    hang_up();
    const pid_t child = ::fork();
    if (child == 0) {
      // It also looks by itself: others may be slow to see what it has done.
      (void)run(request(), {.on_progress = [&](const Progress&) {
                  if (noted() >= segments) ::kill(::getpid(), SIGKILL);
                }});
      ::_exit(0);
    }
    EXPECT_TRUE(eventually([&] { return noted() >= segments; }));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    EXPECT_TRUE(eventually([&] { return !somebody_works_in(target()); }));
    hang_up();
    return noted();
  }
  // Somebody writes to the source as long as it is copied.
  void sync_while_it_grows(const SyncRequest& request) {
    const auto report = run(request, {.on_progress = [&](const Progress& progress) {
                              if (progress.phase != Phase::Copying) return;
                              std::ofstream(source("large"), std::ios::app) << "one more line\n";
                            }});
    ASSERT_TRUE(report) << report.error().message;
    ASSERT_EQ(report->failed.size(), 1U);
    EXPECT_EQ(report->failed[0].code, Errc::Conflict);
    EXPECT_TRUE(eventually([&] { return !somebody_works_in(target()); }));
    EXPECT_THAT(temporaries(target()), IsEmpty());
  }
  void expect_the_same() const {
    EXPECT_EQ(difference(), "");
    EXPECT_THAT(temporaries(target()), IsEmpty());
  }
};

TEST_P(ChangedLargeFile, SendsOnlyWhatDiffers) {
  std::string content = noise(40 * kMiB, 1);
  begin_with(content);
  for (std::size_t at = 0; at < content.size(); at += kMiB) content.replace(at, 10000, 10000, 'x');
  write(source("large"), content);
  const SyncReport report = sync();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.files_sent, 1U);
  EXPECT_LT(report.bytes_on_wire, 2 * kMiB);
  EXPECT_EQ(report.bytes_sent, content.size());
  expect_the_same();
}

TEST_P(ChangedLargeFile, ShowsHowFarItIs) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(40 * kMiB, 2));
  std::set<std::uint64_t> shown;
  const auto report =
      run(request(),
          {.on_progress = [&](const Progress& progress) { shown.insert(progress.bytes_done); }});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_GT(shown.size(), 5U);
  EXPECT_EQ(report->bytes_sent, 40 * kMiB);
  expect_the_same();
}

TEST_P(ChangedLargeFile, SendsOnlyWhatDiffersWhenEverythingHasMoved) {
  std::string content = noise(40 * kMiB, 1);
  begin_with(content);
  content.insert(12345, "something new");
  write(source("large"), content);
  const SyncReport report = sync();
  EXPECT_TRUE(report.complete());
  EXPECT_LT(report.bytes_on_wire, kMiB);
  expect_the_same();
}

TEST_P(ChangedLargeFile, GoesOnWhereItsSyncWasKilled) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(40 * kMiB, 2));
  kill_after(2);
  EXPECT_TRUE(read(target("large")) == noise(40 * kMiB, 1));
  const SyncReport report = sync();
  EXPECT_TRUE(report.complete());
  EXPECT_LT(report.bytes_on_wire, 28 * kMiB);
  EXPECT_LE(report.bytes_sent, 24 * kMiB);
  expect_the_same();
}

TEST_P(ChangedLargeFile, GoesOnWhereTheLinkWasCut) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(40 * kMiB, 2));
  set_ways({cut_after(30 * kMiB), when_all_have_left() + slow()});
  most_links_ = 1;  // a further link would take the second way
  const SyncReport report = sync();
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.reconnects, 1);
  EXPECT_LT(report.bytes_on_wire, 52 * kMiB);
  expect_the_same();
}

TEST_P(ChangedLargeFile, ThatChangesAgainAfterItsSyncWasKilledArrivesAsItIsThen) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(40 * kMiB, 2));
  kill_after(2);
  write(source("large"), noise(33 * kMiB, 3));
  EXPECT_TRUE(sync().complete());
  // The part of the version that is gone stays for a while, as of any large file.
  EXPECT_EQ(picture(target()).at("large"), picture(source()).at("large"));
}

// That version of it will never be there again.
TEST_P(ChangedLargeFile, ThatGrowsAllTheTimeLeavesNoParts) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(41 * kMiB, 2));
  sync_while_it_grows(request());
}

TEST_P(ChangedLargeFile, ThatGrowsAllTheTimeAndIsSyncedAloneLeavesNoParts) {
  slow_ways();
  write(source("large"), noise(40 * kMiB, 1));
  SyncRequest alone = request();
  alone.local_path = here("large");
  alone.remote_path = there("large");
  sync_while_it_grows(alone);
}

// What lies in a part is believed only after it was compared.
TEST_P(ChangedLargeFile, WhosePartWasGarbledArrivesAsItIs) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(40 * kMiB, 2));
  const std::uint64_t arrived = kill_after(2) * tree::kSegment;
  for (const auto& name : temporaries(target())) {
    if (name.ends_with(".map")) continue;
    std::fstream part(target(name), std::ios::in | std::ios::out | std::ios::binary);
    part.seekp(1000);
    part << "something else";
  }
  const SyncReport report = sync();
  EXPECT_TRUE(report.complete());
  EXPECT_GT(report.bytes_sent, 40 * kMiB - arrived);
  expect_the_same();
}

TEST_P(ChangedLargeFile, KeepsItsHoles) {
  begin_with(noise(40 * kMiB, 1));
  write(source("large"), noise(5 * kMiB, 2));
  fs::resize_file(source("large"), 64 * kMiB);
  const SyncReport report = sync();
  EXPECT_TRUE(report.complete());
  EXPECT_LT(report.bytes_on_wire, 10 * kMiB);
  expect_the_same();
  struct stat info {};
  ASSERT_EQ(::stat(target("large").c_str(), &info), 0);
  EXPECT_LT(static_cast<std::uint64_t>(info.st_blocks) * 512, 20 * kMiB);
}

INSTANTIATE_TEST_SUITE_P(BothWays, ChangedLargeFile, ::testing::Bool(),
                         [](const auto& way) { return way.param ? "Push" : "Pull"; });

}  // namespace
}  // namespace yonder::sync
