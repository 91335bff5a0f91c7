#include "outpost/launcher.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "outpost/background_fixture_test.h"

namespace yonder::outpost {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const SystemdFacts kEverything{.systemd_run = "/s", .user_bus = "/b", .lingering = true};

TEST(ChooseLauncher, TakesAScopeWhereEverythingForItIsThere) {
  EXPECT_EQ(*choose_launcher("", kEverything), "scope");
  EXPECT_EQ(*choose_launcher("scope", kEverything), "scope");
  EXPECT_EQ(*choose_launcher("session", kEverything), "session");
}

TEST(ChooseLauncher, TakesASessionWhereSomethingIsMissing) {
  for (const SystemdFacts& facts :
       {SystemdFacts{}, SystemdFacts{.systemd_run = "/s", .user_bus = "/b"},
        SystemdFacts{.systemd_run = "/s", .lingering = true},
        SystemdFacts{.user_bus = "/b", .lingering = true}}) {
    EXPECT_EQ(*choose_launcher("", facts), "session");
    EXPECT_EQ(*choose_launcher("session", facts), "session");
  }
}

TEST(ChooseLauncher, NamesWhatIsMissingForAScope) {
  const auto nothing = choose_launcher("scope", {});
  ASSERT_FALSE(nothing);
  EXPECT_EQ(nothing.error().code, Errc::Unsupported);
  EXPECT_THAT(nothing.error().message,
              HasSubstr("there is no systemd-run; lingering is off for the user; the user's bus is "
                        "not reachable"));
  const auto unknown = choose_launcher("tmux", kEverything);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::InvalidArgument);
}

TEST(ScopeCgroups, AreThoseThatCarryTheNameOfTheUnit) {
  EXPECT_THAT(scope_cgroups("0::/user.slice/app.slice/yonder-r-x.scope\n", "yonder-r-x"),
              ElementsAre("/user.slice/app.slice/yonder-r-x.scope",
                          "/unified/user.slice/app.slice/yonder-r-x.scope"));
  EXPECT_THAT(scope_cgroups("9:name=systemd:/a/yonder-r-x.scope\n4:memory:/yonder-r-x\n0::/\n",
                            "yonder-r-x"),
              ElementsAre("/systemd/a/yonder-r-x.scope"));
  EXPECT_THAT(scope_cgroups("0::/user.slice/session-3.scope\n", "yonder-r-x"), IsEmpty());
  EXPECT_THAT(scope_cgroups("garbage\n:\n\n", "yonder-r-x"), IsEmpty());
}

// With a systemd-run that does not do what it should.
class Launcher : public BackgroundTest {
 protected:
  // `script` may end with: exec "$@", which is what it should start.
  RunRecord launch(const std::string& script, wire::StartRequest wanted,
                   Duration patience = kScopePatience) {
    const SystemdFacts systemd{
        .systemd_run =
            scratch_.write("systemd-run",
                           "#!/bin/sh\ncd " + scratch_.path() +
                               "\nwhile [ \"$1\" != -- ]; do shift; done; shift\n" + script + "\n",
                           0700),
        .user_bus = scratch_ / "bus",
        .lingering = true};
    wanted.launcher = "scope";
    RunRecord record(around_.state_dir, RunId(wanted.run_id));
    EXPECT_TRUE(make_directory(record.directory()));
    EXPECT_TRUE(
        write_file_atomically(record.path("spec"), wire::encode(wanted), Durability::Process));
    scratch_.write("state/runs/" + wanted.run_id + "/log", "");
    EXPECT_EQ(::symlink("log", record.path("out").c_str()), 0);
    const auto lock = record.try_lock();
    EXPECT_TRUE(lock && *lock);
    EXPECT_TRUE(launch_background(record, wanted, **lock, systemd, patience));
    return record;
  }
  static constexpr const char* kCount = "echo begun >> count";
  void expect_begun_once_in_a_session(const RunRecord& record) const {
    EXPECT_EQ(wait_for_end(record).code, 0);
    EXPECT_EQ(alive_of(record).launcher, "session");
    EXPECT_EQ(alive_of(record).cgroup, "");
    EXPECT_EQ(scratch_.read("count"), "begun\n");
  }
};

TEST_F(Launcher, BeginsInASessionWhenSystemdRunFails) {
  const auto record =
      launch("echo 'Failed to connect to bus: No medium found' >&2; exit 1", in_background(kCount));
  expect_begun_once_in_a_session(record);
  EXPECT_THAT(text_of(record, "launch.problem"), HasSubstr("No medium found"));
}

TEST_F(Launcher, BeginsInASessionWhenSystemdRunGivesNoScope) {
  const auto record = launch("exec \"$@\"", in_background(kCount));
  expect_begun_once_in_a_session(record);
  EXPECT_THAT(text_of(record, "launch.problem"), HasSubstr("has not put the run into a scope"));
}

TEST_F(Launcher, BeginsInASessionWhenTheLockDidNotComeAlong) {
  const auto record = launch("exec \"$1\" \"$2\" \"$3\" 0 0 </dev/null", in_background(kCount));
  expect_begun_once_in_a_session(record);
}

TEST_F(Launcher, BeginsOnceWhenSystemdRunComesTooLate) {
  // Killed before it has left anything behind, it was not even late: then it gets more time.
  for (Duration patience = std::chrono::milliseconds(300); !path_exists(scratch_ / "left");
       patience *= 2) {
    ASSERT_LT(patience, Duration(testing::kPatience));
    std::filesystem::remove(scratch_ / "count");
    const auto record = launch(
        "setsid sh -c 'while [ ! -e go ]; do sleep 0.01; done; \"$@\"; : > done' x \"$@\" & "
        ": > left; exec sleep 1000",
        in_background(kCount), patience);
    EXPECT_EQ(wait_for_end(record).code, 0);
    EXPECT_EQ(alive_of(record).launcher, "session");
  }
  scratch_.write("go", "");
  wait_for_file("done");
  EXPECT_EQ(scratch_.read("count"), "begun\n");
}

TEST_F(Launcher, HoldsTheLockFromTheStartToTheEnd) {
  const auto record = launch(": > asked; exec sleep 1000", in_background("sleep 1000"),
                             std::chrono::milliseconds(300));
  while (!path_exists(record.path("alive"))) ASSERT_TRUE(record.locked());
  EXPECT_TRUE(record.locked());
}

TEST_F(Launcher, IsGivenUpAtOnceWhenTheRunIsStopped) {
  const auto record = launch("exec sleep 1000", in_background(kCount), std::chrono::seconds(1000));
  scratch_.write("state/runs/" + record.id() + "/stop", "");
  EXPECT_EQ(wait_for_end(record).cause, wire::Cause::Stop);
  EXPECT_FALSE(path_exists(record.path("alive")));
  EXPECT_FALSE(path_exists(scratch_ / "count"));
}

TEST_F(Launcher, IsRefusedWithoutATraceWhereItCannotBe) {
  ::setenv("XDG_RUNTIME_DIR", scratch_.path().c_str(), 1);
  auto wanted = in_background(": > never");
  wanted.launcher = "scope";
  const auto error = refusal(wanted);
  ::unsetenv("XDG_RUNTIME_DIR");
  EXPECT_EQ(error.code, Errc::Unsupported);
  EXPECT_THAT(error.message, HasSubstr("launcher 'scope' cannot be used"));
  EXPECT_EQ(records(), 0U);
}

}  // namespace
}  // namespace yonder::outpost
