#include "ops/worker_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/scratch_test.h"

namespace yonder::ops {
namespace {

using yonder::testing::eventually;

class WorkerProcess : public ::testing::Test {
 protected:
  yonder::testing::Scratch scratch_;
  store::WorkerKey start(const std::string& script) {
    auto key = start_worker({.argv = {"/bin/sh", "-c", script},
                             .environment = {"PATH=/usr/bin:/bin", "SECRET=x"},
                             .log_file = scratch_ / "log"});
    EXPECT_TRUE(key) << key.error().message;
    return key ? *key : store::WorkerKey{};
  }
};

TEST_F(WorkerProcess, OfAnotherHostOrContainerIsNeitherAliveNorGone) {
  const auto own = worker_key(::getpid());
  ASSERT_TRUE(own);
  EXPECT_EQ(look_for(*own), Sight::Lives);
  store::WorkerKey other = *own;
  other.host += "-2";
  EXPECT_EQ(look_for(other), Sight::Elsewhere);
  EXPECT_FALSE(signal_worker(other, 0, false)) << "its number is somebody else's here";
  other = *own;
  other.pid_namespace = "pid:[1]";
  EXPECT_EQ(look_for(other), Sight::Elsewhere);
  other = *own;
  other.boot_id = "before";
  EXPECT_EQ(look_for(other), Sight::Gone);
  other = {.pid = own->pid, .start_time = own->start_time, .boot_id = own->boot_id};
  EXPECT_EQ(look_for(other), Sight::Lives) << "as an older yonder wrote it";
}

TEST_F(WorkerProcess, IsNobodysChildAndLeadsItsGroup) {
  const auto worker = start("echo $SECRET >&2; exec sleep 60");
  EXPECT_TRUE(lives(worker));
  EXPECT_NE(::getsid(static_cast<pid_t>(worker.pid)), ::getsid(0));
  EXPECT_EQ(::getpgid(static_cast<pid_t>(worker.pid)), static_cast<pid_t>(worker.pid));
  EXPECT_EQ(::waitpid(static_cast<pid_t>(worker.pid), nullptr, WNOHANG), -1);
  EXPECT_TRUE(eventually([&] { return scratch_.read("log") == "x\n"; }));
  struct stat info {};
  ASSERT_EQ(::stat((scratch_ / "log").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_TRUE(signal_worker(worker, SIGTERM, false));
  EXPECT_TRUE(eventually([&] { return !lives(worker); }));
  EXPECT_FALSE(signal_worker(worker, SIGTERM, false));
}

TEST_F(WorkerProcess, IsNotTakenForAnotherOfItsNumber) {
  const auto self = worker_key(::getpid());
  ASSERT_TRUE(self);
  EXPECT_TRUE(lives(*self));
  store::WorkerKey earlier = *self;
  earlier.start_time = "1";
  EXPECT_FALSE(lives(earlier));
  EXPECT_FALSE(signal_worker(earlier, SIGKILL, true));
  store::WorkerKey before_the_boot = *self;
  before_the_boot.boot_id = "another";
  EXPECT_FALSE(lives(before_the_boot));
  EXPECT_FALSE(signal_worker(before_the_boot, SIGKILL, true));
  EXPECT_FALSE(lives({}));
}

TEST_F(WorkerProcess, IsGoneWhenItIsAZombie) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto key = worker_key(child);
  ASSERT_TRUE(key);
  EXPECT_TRUE(signal_worker(*key, SIGKILL, false));
  siginfo_t ended{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(lives(*key));
  EXPECT_FALSE(worker_key(child));
  ::waitpid(child, nullptr, 0);
}

TEST_F(WorkerProcess, IsKilledWithItsGroup) {
  const auto worker = start("sleep 61 & echo $! >&2; wait");
  ASSERT_TRUE(eventually([&] { return !scratch_.read("log").empty(); }));
  const auto helper = worker_key(std::stoll(scratch_.read("log")));
  ASSERT_TRUE(helper);
  EXPECT_TRUE(signal_worker(worker, SIGKILL, true));
  EXPECT_TRUE(eventually([&] { return !lives(worker) && !lives(*helper); }));
}

TEST_F(WorkerProcess, ThatCannotBeStartedIsAnError) {
  const auto missing =
      start_worker({.argv = {"/bin/sh"}, .environment = {}, .log_file = scratch_ / "no/such/log"});
  EXPECT_FALSE(missing);
}

}  // namespace
}  // namespace yonder::ops
