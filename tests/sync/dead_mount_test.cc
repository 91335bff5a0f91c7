// Homes of others that lie on a mount which answers to nobody.
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/fd.h"
#include "base/text.h"
#include "sync/fixture.h"
#include "tree/root.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;

// A file system whose program never says a word, until it is gone.
class DeadMount {
 public:
  explicit DeadMount(const std::string& place) : fuse_(::open("/dev/fuse", O_RDWR | O_CLOEXEC)) {
    const std::string options = concat("fd=", fuse_.get(), ",rootmode=40000,user_id=", ::geteuid(),
                                       ",group_id=", ::getegid());
    works_ = fuse_ && ::mount("dead", place.c_str(), "fuse", 0, options.c_str()) == 0;
  }
  bool works() const { return works_; }

  // Whoever has to wait for it has failed, and waits no longer.
  bool lets_through(const std::function<void()>& body) {
    std::mutex mutex;
    std::condition_variable changed;
    bool over = false;
    bool waited = false;
    std::thread watch([&] {
      std::unique_lock lock(mutex);
      waited = !changed.wait_for(lock, testing::kPatience, [&] { return over; });
      if (waited) fuse_.reset();
    });
    body();
    {
      const std::lock_guard lock(mutex);
      over = true;
    }
    changed.notify_all();
    watch.join();
    return !waited;
  }

 private:
  Fd fuse_;
  bool works_ = false;
};

// In a process of its own, where such a home is the first that one meets. What went wrong.
std::string beside_a_dead_home(const std::string& base,
                               const std::function<std::string(DeadMount&)>& body) {
  const std::string home = base + "/dead";
  fs::create_directory(home);
  std::ofstream(base + "/passwd") << "root:x:0:0::/root:/bin/sh\nother:x:1234:1234::" << home
                                  << ":/bin/sh\n";
  if (::mount((base + "/passwd").c_str(), "/etc/passwd", nullptr, MS_BIND, nullptr) != 0) {
    return "mount";
  }
  DeadMount mount(home);
  return mount.works() ? body(mount) : "skip";
}

TEST_F(SyncTest, APullDoesNotWaitForTheHomesOfOthers) {
  const auto problem = testing::with_private_mounts([&] {
    return beside_a_dead_home(base_, [&](DeadMount& mount) -> std::string {
      hang_up();
      write(there("a"), "one");
      Result<SyncReport> report = SyncReport{};
      if (!mount.lets_through([&] { report = run(pull_request()); })) return "it waited";
      if (!report) return report.error().message;
      return report->complete() && read(here("a")) == "one" ? "" : "it did not arrive";
    });
  });
  if (problem == "skip") GTEST_SKIP() << "needs dead mounts, which are refused here";
  EXPECT_EQ(problem, "");
}

// Its name is enough.
TEST_F(SyncTest, WhatHoldsAHomeIsKnownThoughThatDoesNotAnswer) {
  const auto problem = testing::with_private_mounts([&] {
    return beside_a_dead_home(base_, [&](DeadMount& mount) -> std::string {
      std::string holds;
      const tree::OpenTree wanted{
          .path = base_, .role = tree::Role::Target, .precious = {"/nowhere"}};
      if (!mount.lets_through([&] { holds = tree::Root::find(wanted, "/root")->state().holds; })) {
        return "it waited";
      }
      return holds == base_ + "/dead" ? "" : "holds: " + holds;
    });
  });
  if (problem == "skip") GTEST_SKIP() << "needs dead mounts, which are refused here";
  EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace yonder::sync
