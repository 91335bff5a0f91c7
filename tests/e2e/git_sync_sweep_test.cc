#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <map>
#include <random>

#include "base/text.h"
#include "e2e/git_sync_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

// Kills at random moments, and then the same call again. YONDER_GIT_SWEEP is the number of rounds,
// YONDER_GIT_SWEEP_SEED repeats a sweep.
class GitSyncSweep : public GitSync {
 protected:
  enum class Kill { Client, Far, FarShell, FarOther };
  static constexpr int kFiles = 30;
  static constexpr int kMostTries = 10;

  void SetUp() override {
    GitSync::SetUp();
    if (HasFatalFailure()) return;
    write_here(".gitattributes", "f1* filter=slow\n");
    change_here(0);
    sync();
    there("git config filter.slow.clean cat; git config filter.slow.smudge 'cat; sleep 0.02'");
  }
  static std::uint64_t number(const char* variable, std::uint64_t otherwise) {
    const char* text = std::getenv(variable);  // NOLINT(concurrency-mt-unsafe)
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
  }
  // A commit with other content, and other kinds of things in some places.
  void change_here(int round) {
    for (int i = 0; i < kFiles; ++i) write_here(concat("f", i), concat("round ", round, "\n"));
    git({"rm", "-q", "-r", "--ignore-unmatch", "kind", "kind2"});
    write_here(round % 2 == 0 ? "kind" : "kind/file", concat("kind ", round, "\n"));
    write_here(round % 2 == 0 ? "kind2/file" : "kind2", concat("kind ", round, "\n"));
    write_here("big", std::string(300000, static_cast<char>('a' + round % 26)));
    git({"add", "-A"});
    git({"commit", "-q", "-m", concat("round ", round)});
  }
  std::vector<pid_t> far_processes() const {
    std::vector<pid_t> found;
    std::error_code ignored;
    const std::string moving = far() + "/.git/yonder-moving";
    for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
      const pid_t pid = std::atoi(entry.path().filename().c_str());
      const std::string open = concat("/proc/", pid, "/fd/9");
      if (pid > 0 && std::filesystem::equivalent(open, moving, ignored)) found.push_back(pid);
    }
    std::sort(found.begin(), found.end());
    return found;
  }
  void wait_for(const RunningYonder& running, bool for_move) {
    const auto begun = [&] { return !far_processes().empty() || ::kill(running.pid(), 0) != 0; };
    if (for_move) lab::eventually(begun);
    const auto most = for_move ? 400000U : 1500000U;
    ::usleep(static_cast<useconds_t>(random_() % most));  // the moment is what is swept
  }
  void end(Kill kill, const RunningYonder& running) {
    if (kill == Kill::Client) {
      running.signal(SIGKILL);
      ++counts_["clients killed"];
      return;
    }
    std::vector<pid_t> victims = far_processes();
    if (victims.empty()) {
      ++counts_["too early or too late"];
      return;
    }
    if (kill == Kill::FarShell) victims.resize(1);
    if (kill == Kill::FarOther) victims = {victims[random_() % victims.size()]};
    for (const pid_t pid : victims) ::kill(pid, SIGKILL);
    ++counts_[kill == Kill::Far ? "moves killed" : "processes of moves killed"];
  }
  // Until it is done; how often it had to be tried.
  int finish(const std::vector<std::string>& words) {
    for (int tries = 1; tries <= kMostTries; ++tries) {
      const Captured done = run_yonder(words, environment());
      if (done.status.code == 0) return tries;
      last_error_ = done.err;
    }
    return kMostTries + 1;
  }
  void run_round(int round);
  void expect_done(int round, bool dirty);

  std::mt19937_64 random_;
  std::map<std::string, int> counts_;
  std::string last_error_;
};

void GitSyncSweep::run_round(int round) {
  change_here(round);
  const bool dirty = round % 2 == 1;
  there(dirty ? "git stash clear; echo mine > f3; echo staged > f4; git add f4; echo x > result"
              : "git stash clear; echo x > result");
  const std::vector<std::string> words{
      "git-sync", "box", far(), "--local", here(), "--on-dirty", dirty ? "stash" : "refuse"};
  {
    RunningYonder running(words, environment());
    const auto kill = static_cast<Kill>(random_() % 4);
    wait_for(running, kill != Kill::Client || random_() % 2 == 0);
    end(kill, running);
    running.finish();
  }
  EXPECT_EQ(finish(words), 1) << last_error_;
  expect_done(round, dirty);
}

void GitSyncSweep::expect_done(int round, bool dirty) {
  EXPECT_EQ(head_there(), head());
  EXPECT_EQ(there("git status --porcelain; cat result f7; find .git -name '*yonder*' -o -name "
                  "'*.lock' | cat"),
            concat("?? result\nx\nround ", round));
  if (!dirty) {
    EXPECT_EQ(there("git stash list"), "");
    return;
  }
  EXPECT_EQ(there("git stash list | wc -l"), "1") << "neither lost, nor put away twice";
  EXPECT_EQ(there("git show 'stash@{0}:f3'; git show 'stash@{0}^2:f4'; "
                  "git diff --name-only 'stash@{0}^' 'stash@{0}'"),
            "mine\nstaged\nf3\nf4");
}

TEST_F(GitSyncSweep, NothingIsLostAndNothingStaysWhoeverIsKilled) {
  const std::uint64_t seed = number("YONDER_GIT_SWEEP_SEED", 20310514);
  const int rounds = static_cast<int>(number("YONDER_GIT_SWEEP", 6));
  random_.seed(seed);
  for (int round = 1; round <= rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(concat("round ", round, " of seed ", seed));
    run_round(round);
    ++counts_["rounds"];
  }
  std::cout << "seed " << seed;
  for (const auto& [what, count] : counts_) std::cout << ", " << what << ": " << count;
  std::cout << "\n";
}

}  // namespace
}  // namespace yonder::e2e
