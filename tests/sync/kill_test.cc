// A sync may be killed at any moment: the next one brings both ends to the same state, and what the
// killed one has left behind goes.
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>
#include <thread>

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "sync/fixture.h"
#include "tree/leftovers.h"

namespace yonder::sync {
namespace {

namespace fs = std::filesystem;
using std::chrono::microseconds;
using testing::eventually;

class KillSweep : public SyncTest {
 protected:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  void change(const std::string& root) {
    static constexpr std::array<mode_t, 4> kModes{0700, 0711, 0750, 0775};
    for (int n = 0; n < 30; ++n) {
      const std::string directory = concat(root, "/d", below(6), "/e", below(3));
      const std::string path = concat(directory, "/f", below(20));
      fs::create_directories(directory);
      if (below(4) == 0) ::chmod(directory.c_str(), kModes.at(below(kModes.size())));
      if (below(8) == 0) {
        fs::remove(path + "l");
        fs::create_symlink(concat("to", below(5)), path + "l");
      } else {
        write(path, noise(below(40000), random_()), below(2) == 0 ? 0600 : 0755);
      }
    }
    if (below(3) == 0) write(concat(root, "/large", below(2)), noise(9 * kMiB, random_()));
    if (below(3) == 0) fs::create_directories(concat(root, "/new", random_(), "/inner"));
  }

  // How long it takes when it is left alone, roughly.
  microseconds measure() {
    change(here());
    hang_up();
    const auto began = std::chrono::steady_clock::now();
    EXPECT_TRUE(push().complete());
    return std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - began);
  }

  std::vector<pid_t> far_processes() const {
    std::vector<pid_t> found;
    for (const auto& process : fs::directory_iterator("/proc")) {
      std::error_code none;
      const auto program = fs::read_symlink(process.path() / "exe", none);
      const pid_t pid = std::atoi(process.path().filename().c_str());
      if (!none && pid > 0 && program.string().starts_with(base_ + "/home/")) found.push_back(pid);
    }
    return found;
  }
  // One of them, or all: the one that is left has to find out.
  void kill_far() {
    auto victims = far_processes();
    if (victims.empty()) return;
    if (below(2) == 0) victims = {victims[below(victims.size())]};
    for (const pid_t pid : victims) ::kill(pid, SIGKILL);
    ++far_killed_;
  }

  // In another process. It is killed, or those over there, or both, at a moment that the dice
  // choose.
  void run_and_kill(const SyncRequest& request, const std::string& target, microseconds after) {
    hang_up();
    const pid_t child = ::fork();
    if (child == 0) {
      (void)run(request);
      ::_exit(0);
    }
    const std::size_t whom = below(4);
    std::this_thread::sleep_for(after);
    if (whom >= 2) kill_far();
    if (whom != 3) ::kill(child, SIGKILL);
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) ++killed_;
    EXPECT_TRUE(eventually([&] { return !somebody_works_in(target); }));
    hang_up();
  }

  // A sync leaves young ones alone: their writers may live. These are dead, and the files are
  // looked at as if a minute had passed.
  void clear_leftovers(const std::string& root) {
    for (const auto& path : temporaries(root)) {
      ++young_;
      const fs::path whole = fs::path(root) / path;
      const auto directory = open_file(whole.parent_path().string(), O_RDONLY | O_DIRECTORY);
      ASSERT_TRUE(directory);
      EXPECT_TRUE(tree::remove_abandoned(directory->get(), whole.filename().string(), 0)) << path;
    }
  }

  void one(bool pushes, microseconds longest) {
    const std::string source = pushes ? here() : there();
    const std::string target = pushes ? there() : here();
    change(source);
    const SyncRequest request = pushes ? push_request() : pull_request();
    run_and_kill(request, target, microseconds(below(static_cast<std::size_t>(longest.count()))));
    const SyncReport report = pushes ? push() : pull();
    EXPECT_TRUE(report.complete());
    for (const auto& left : report.plan.left) ADD_FAILURE() << left.path << ": " << left.detail;
    EXPECT_EQ(difference_without_leftovers(target), "");
    EXPECT_TRUE(temporaries(source).empty());
  }
  std::string difference_without_leftovers(const std::string& target) {
    clear_leftovers(target);
    std::string found = difference();
    // To clear them has changed the times of directories, which are not looked at for that.
    if (young_ == 0 || found.empty()) return found;
    EXPECT_TRUE((target == there() ? push() : pull()).complete());
    return difference();
  }

  std::mt19937_64 random_;
  int killed_ = 0;
  int far_killed_ = 0;
  int young_ = 0;
};

// YONDER_SYNC_KILLS=N: so many; YONDER_SYNC_SEED: of the first. scripts/kills is the long form.
TEST_F(KillSweep, AKilledSyncIsDoneByTheNextAndLeavesNothing) {
  use_memory();
  const char* kills = std::getenv("YONDER_SYNC_KILLS");
  const char* given = std::getenv("YONDER_SYNC_SEED");
  const int count = kills != nullptr ? std::atoi(kills) : 8;
  const std::uint64_t seed = given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
  const auto longest = measure();
  int done = 0;
  for (int i = 0; i < count && !HasFailure(); ++i, ++done) {
    random_.seed(seed + static_cast<std::uint64_t>(i));
    SCOPED_TRACE(concat("YONDER_SYNC_SEED=", seed + static_cast<std::uint64_t>(i)));
    one(i % 2 == 0, longest);
  }
  std::cout << done << " syncs, " << killed_ << " killed before their end, " << far_killed_
            << " times processes over there; " << young_
            << " files on their way were left, and went\n";
}

}  // namespace
}  // namespace yonder::sync
