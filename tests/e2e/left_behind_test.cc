// A test program that is killed leaves nothing behind, whatever it had started.

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <set>

#include "base/file.h"
#include "base/subprocess.h"
#include "e2e/background_fixture.h"
#include "lab/command.h"
#include "lab/dropbear.h"
#include "lab/ssh_agent.h"

namespace yonder::e2e {
namespace {

using ::testing::IsEmpty;
using ::testing::IsSupersetOf;

// Not tests: what the tests below start, and then kill.
class Victim : public Background {
 protected:
  // A process of which neither name, session, directory nor environment says where it is from.
  static void disguise() {
    const auto hidden = lab::run_command(
        {"sh", "-c", "cd / && setsid env -i sleep 1000.75 </dev/null >/dev/null 2>&1 &"});
    ASSERT_TRUE(hidden) << hidden.error().message;
  }
};

TEST_F(Victim, DISABLED_HasOneOfEachServer) {
  auto sshd = start_sshd();
  write_hosts({host("box", sshd)});
  auto dropbear = lab::Dropbear::start(lab());
  auto ssh_agent = lab::SshAgent::start(lab());
  ASSERT_TRUE(dropbear && ssh_agent);
  tmux({"new-session", "-d", "sleep 1000.75"});
  start("sleep 1000.75");                             // a supervisor here,
  start("sleep 1000.75", {{"sandbox_name", "box"}});  // an ssh, an outpost and a supervisor there
  disguise();
  std::cout << "lab " << lab().directory() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
}

class LeftBehind : public EndToEnd {
 protected:
  void SetUp() override {
    EndToEnd::SetUp();
    std::vector<std::string> argv{std::filesystem::read_symlink("/proc/self/exe").native(),
                                  "--gtest_also_run_disabled_tests",
                                  "--gtest_filter=Victim.DISABLED_HasOneOfEachServer"};
    argv.insert(argv.begin(), launcher_.begin(), launcher_.end());
    auto started = Subprocess::spawn({.argv = argv, .environment = environment()});
    ASSERT_TRUE(started) << started.error().message;
    victim_.emplace(*std::move(started));
    read_until_ready();
    family_ = family_of(victim_->pid());
  }
  // Before our own lab ends, and takes the other's keeper with it.
  void TearDown() override { victim_.reset(); }

  void read_until_ready() {
    std::string line;
    for (char c = 0; !(line.starts_with("lab ") && c == '\n');) {
      const auto n = read_some(victim_->output(), &c, 1);
      ASSERT_TRUE(n && *n > 0) << "the other program has ended";
      if (line.ends_with('\n')) line.clear();
      line += c;
    }
    directory_ = trim(line.substr(4));
  }
  std::set<std::string> names() const {
    std::set<std::string> names;
    // The names of outposts end in the number of a build.
    for (const auto& process : family_) {
      names.insert(process.name.starts_with("outpost-") ? "outpost" : process.name);
    }
    return names;
  }
  std::set<std::string> left() const {
    std::set<std::string> left;
    for (const auto& process : family_) {
      if (lab::is_alive(process.pid)) left.insert(concat(process.pid, " ", process.name));
    }
    for (const pid_t pid : lab::processes_in_lab(directory_)) left.insert(concat(pid));
    if (path_exists(directory_)) left.insert(directory_);
    return left;
  }
  void expect_nothing_left() {
    EXPECT_THAT(names(), IsSupersetOf({"sshd", "dropbear", "ssh-agent", "ssh", "outpost",
                                       "tmux: server", "yonder", "yonder-run", "sleep"}));
    lab::eventually([&] { return left().empty(); });
    EXPECT_THAT(left(), IsEmpty());
  }

  std::vector<std::string> launcher_;
  std::optional<Subprocess> victim_;
  std::vector<lab::Process> family_;
  std::string directory_;
};

TEST_F(LeftBehind, NothingIsWhenATestProgramEnds) {
  victim_->input().reset();
  EXPECT_TRUE(victim_->wait(patience()));
  expect_nothing_left();
}

TEST_F(LeftBehind, NothingIsWhenATestProgramIsKilled) {
  ::kill(victim_->pid(), SIGKILL);
  expect_nothing_left();
}

TEST_F(LeftBehind, NothingIsWhenItsWholeGroupIsKilled) {
  ::kill(-victim_->pid(), SIGKILL);
  expect_nothing_left();
}

TEST_F(LeftBehind, NothingIsWhenItsGroupIsToldToEnd) {
  ::kill(-victim_->pid(), SIGTERM);
  expect_nothing_left();
}

TEST_F(LeftBehind, NothingIsAfterCtrlC) {
  ::kill(-victim_->pid(), SIGINT);
  expect_nothing_left();
}

TEST_F(LeftBehind, NothingIsWhenTheTestItselfCrashes) {
  // The work is the child of the keeper, who is the child of what was started. The keeper also gets
  // what others have left, in no order: only the work is of the same program.
  const auto keepers = lab::children_of(victim_->pid());
  ASSERT_EQ(keepers.size(), 1u);
  auto works = lab::children_of(keepers[0].pid);
  const std::string own_name(trim(file_text("/proc/self/comm")));
  std::erase_if(works, [&](const lab::Process& one) { return one.name != own_name; });
  ASSERT_EQ(works.size(), 1u);
  ::kill(works[0].pid, SIGSEGV);
  const auto status = victim_->wait(patience());
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->signaled);
  EXPECT_EQ(status->code, SIGSEGV);
  expect_nothing_left();
}

// Its own limit comes before CTest's.
class LeftByAHang : public LeftBehind {
 protected:
  LeftByAHang() { launcher_ = {"env", "YONDER_TEST_ENDS_S=800"}; }
};

TEST_F(LeftByAHang, NothingIsAtItsLimit) {
  ::kill(victim_->pid(), SIGALRM);  // as the limit does
  const auto status = victim_->wait(patience());
  ASSERT_TRUE(status);
  EXPECT_EQ(status->code, 1);
  expect_nothing_left();
}

// Stands for CTest by its name.
class LeftByCtest : public LeftBehind {
 protected:
  LeftByCtest() { launcher_ = {"sh", "-c", "printf ctest >/proc/self/comm; \"$@\"; :", "ctest"}; }
};

TEST_F(LeftByCtest, NothingIsWhenCtestIsKilled) {
  ::kill(victim_->pid(), SIGKILL);
  expect_nothing_left();
}

}  // namespace
}  // namespace yonder::e2e
