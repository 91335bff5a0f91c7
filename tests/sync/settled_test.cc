// What a sync found to be so, or another one has left, is nobody else's change.
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <stdexcept>

#include "base/text.h"
#include "sync/fixture.h"
#include "sync/so_far.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::int64_t kSecond = 1000000000;

class Settled : public SyncTest {
 protected:
  static void set_time(const std::string& path, std::int64_t ns) {
    const std::array<timespec, 2> times{timespec{0, UTIME_OMIT},
                                        timespec{ns / kSecond, ns % kSecond}};
    EXPECT_EQ(::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW), 0);
  }
  static std::int64_t now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * kSecond + now.tv_nsec;
  }
  static void link_to(const std::string& text, const std::string& path, std::int64_t time) {
    fs::remove(path);
    fs::create_symlink(text, path);
    set_time(path, time);
  }
  // Everything arrives, and nobody writes that down.
  void run_and_die_before_the_end(const SyncRequest& request) {
    const SyncHooks hooks{.on_progress = [](const Progress& progress) {
      if (progress.phase == Phase::Finishing) throw std::runtime_error("dead");
    }};
    EXPECT_THROW((void)run(request, hooks), std::runtime_error);
  }
  static constexpr std::int64_t kThen = 1700000000 * kSecond;
};

TEST_F(Settled, ALinkThatWasMadeAnewWithTheSameTextIsNoConflictLater) {
  for (const bool push : {true, false}) {
    const std::string source = push ? here("latest") : there("latest");
    const std::string target = push ? there("latest") : here("latest");
    const auto sync = [&] { return push ? this->push() : pull(); };
    link_to("run-17", source, kThen + 1);
    sync();
    link_to("run-17", source, kThen + kSecond + 5);
    EXPECT_EQ(sync().files_sent, 0U);
    link_to("run-18", source, kThen + 2 * kSecond + 7);
    EXPECT_EQ(sync().plan.counts.conflicts, 0U);
    EXPECT_EQ(fs::read_symlink(target), "run-18");
    // Nor for the way back.
    link_to("run-18", target, kThen + 3 * kSecond + 9);
    sync();
    link_to("run-19", target, kThen + 4 * kSecond + 3);
    EXPECT_EQ((push ? pull() : this->push()).plan.counts.conflicts, 0U);
    EXPECT_EQ(fs::read_symlink(source), "run-19");
  }
}

TEST_F(Settled, AFileWhoseTimeTheSourceKeepsLessExactlyIsNotTakenForChanged) {
  write(here("f"), "one");
  set_time(here("f"), kThen + kSecond / 2 + 3);
  push();
  set_time(there("f"), kThen);  // as its file system keeps it
  EXPECT_EQ(pull().files_sent, 0U);
  write(there("f"), "two");
  set_time(there("f"), kThen + 10 * kSecond);
  EXPECT_EQ(pull().plan.counts.conflicts, 0U);
  EXPECT_EQ(read(here("f")), "two");
}

TEST_F(Settled, AFileWhoseTimeOneEndKeepsLessExactlyIsReadOnlyOnce) {
  write(here("f"), "one");
  write(here("other"), "one");
  set_time(here("f"), kThen + kSecond / 2 + 3);
  set_time(here("other"), kThen + kSecond / 2 + 3);
  push();
  set_time(there("f"), kThen);
  set_time(there("other"), kThen);
  pull();
  EXPECT_THAT(pull().plan.questions, IsEmpty());
  EXPECT_THAT(push().plan.questions, IsEmpty());
  write(there("other"), "two");
  set_time(there("other"), kThen + 10 * kSecond);
  pull();
  EXPECT_THAT(push().plan.questions, IsEmpty());
  // The same second is all that the far side tells.
  write(here("f"), "two");
  set_time(here("f"), kThen + kSecond / 2 + 9);
  EXPECT_EQ(push().files_sent, 1U);
  EXPECT_EQ(read(there("f")), "two");
}

TEST_F(Settled, RemovalsThatAreRefusedAfterALostLinkAreNotClaimed) {
  write(here("a"), "a");
  SoFar before;
  for (int i = 0; i < 30; ++i) {
    write(there(concat("old", i)), "x");
    before.cut.push_back(
        {.act = Act::Remove, .path = concat("old", i), .target = {.exists = true}});
  }
  before.cut.push_back({.act = Act::Remove, .path = "gone", .target = {.exists = true}});
  SyncRequest request = push_request();
  request.options.delete_extras = true;
  const auto report = run(request, {.before = &before});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(report->warnings, Contains(HasSubstr("no more was removed")));
  EXPECT_TRUE(fs::exists(there("old7")));
  EXPECT_EQ(report->files_removed, 1U);
}

TEST_F(Settled, WhatADyingSyncHasPlacedIsKnownAfterOneThatDoesNotLookThere) {
  write(here("f"), "one");
  write(here("d/f"), "one");
  push();
  write(here("f"), "second");
  write(here("d/f"), "second");
  write(here("d/new"), "new");
  run_and_die_before_the_end(push_request());
  EXPECT_EQ(read(there("f")), "second");
  for (const char* other : {"one", "another"}) {
    write(here("other"), other);
    push({.excludes = {"f", "d"}});
  }
  write(here("f"), "third version");
  write(here("d/f"), "third version");
  write(here("d/new"), "third version");
  EXPECT_EQ(push().plan.counts.conflicts, 0U);
  EXPECT_EQ(difference(), "");
}

TEST_F(Settled, WhatADyingSyncHasPlacedIsKnownAfterOneThatFailsThere) {
  write(there("log"), "0");
  pull();
  write(there("log"), "0 1");
  run_and_die_before_the_end(pull_request());
  EXPECT_EQ(read(here("log")), "0 1");
  std::string log = "0 1 2";
  write(there("log"), log);
  const auto failed = run(pull_request(), {.on_plan = [&](const Plan&) {
                            write(there("log"), log += " and on");
                            return Result<void>();
                          }});
  ASSERT_TRUE(failed) << failed.error().message;
  EXPECT_EQ(failed->failed.size(), 1U);
  EXPECT_EQ(pull().plan.counts.conflicts, 0U);
  EXPECT_EQ(difference(), "");
}

TEST_F(Settled, WhatWasPassedOverIsDoubtedFromWhenItWasReadLast) {
  write(here("f"), "one");
  std::int64_t time = 0;
  // It must be read before its time has come, however long a sync takes on this machine.
  std::int64_t ahead = kSecond / 2;  // the clock of a file system is not ours
  do {
    time = now() + ahead;
    ahead *= 2;
    set_time(here("f"), time);
    push();
  } while (now() >= time);
  EXPECT_TRUE(testing::eventually([&] { return now() > time + kSecond / 10; }));
  write(here("other"), "other");
  push({.excludes = {"f"}});
  write(here("f"), "two");
  set_time(here("f"), time);
  push();
  EXPECT_EQ(read(there("f")), "two");
  EXPECT_THAT(push().plan.questions, Not(Contains("f"))) << "it was read meanwhile";
}

}  // namespace
}  // namespace yonder::sync
