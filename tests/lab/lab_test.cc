#include "lab/lab.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <iostream>

#include "base/file.h"
#include "base/text.h"
#include "lab/command.h"
#include "lab/processes.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

// A command of alice, without any server between.
std::vector<std::string> as_alice(const std::string& command) {
  if (!Lab::get().has_several_users()) return {"sh", "-c", command};
  return {"setpriv", concat("--reuid=", Lab::get().user("alice").uid), "--clear-groups", "sh", "-c",
          command};
}

bool alice_can(const std::string& command) {
  return run_command(as_alice(command)).has_value();
}

TEST(Lab, HasUsersThatTheMachineDoesNotHave) {
  const Account& alice = Lab::get().user("alice");
  EXPECT_GE(alice.uid, 7001u);
  EXPECT_EQ(*run_command({"id", "-u", "alice"}), concat(alice.uid, "\n"));
  struct stat home {};
  ASSERT_EQ(::stat(alice.home.c_str(), &home), 0);
  EXPECT_EQ(home.st_uid, alice.uid);
  EXPECT_EQ(home.st_mode & 07777, 0700u);
  // Whoever started us is not in the lab, and sees the machine's own files.
  const auto machine = read_file(concat("/proc/", ::getppid(), "/root/etc/passwd"), 1 << 20);
  ASSERT_TRUE(machine) << machine.error().message;
  EXPECT_EQ(machine->find(alice.home), std::string::npos);
}

TEST(Lab, MakesMoreUsers) {
  const auto dora = Lab::get().add_user("dora", "/bin/sh");
  ASSERT_TRUE(dora) << dora.error().message;
  EXPECT_EQ(*run_command({"id", "-u", "dora"}), concat(dora->uid, "\n"));
  EXPECT_EQ(Lab::get().user("dora").password, "dora-pw");
}

TEST(Lab, MovesTheHomeOfTheClient) {
  const std::string& home = Lab::get().client_home();
  EXPECT_EQ(*run_command({"sh", "-c", "getent passwd root | cut -d: -f6"}), home + "\n");
  EXPECT_STREQ(::getenv("HOME"), home.c_str());
}

TEST(Lab, CanForbidProgramsInAHome) {
  Lab& lab = Lab::get();
  const std::string& home = lab.user("alice").home;
  const std::string try_program = concat("cp /bin/true ", home, "/t && ", home, "/t");
  {
    const auto mount = lab.mount_home("alice", "noexec");
    ASSERT_TRUE(mount) << mount.error().message;
    EXPECT_TRUE(alice_can(concat("echo x >", home, "/file")));
    EXPECT_FALSE(alice_can(try_program));
  }
  EXPECT_TRUE(alice_can(try_program));
}

TEST(Lab, CanMakeAHomeReadOnlyOrTiny) {
  Lab& lab = Lab::get();
  const std::string& home = lab.user("alice").home;
  {
    const auto mount = lab.mount_home("alice", "ro");
    ASSERT_TRUE(mount) << mount.error().message;
    EXPECT_TRUE(alice_can(concat("ls ", home)));
    EXPECT_FALSE(alice_can(concat("echo x >", home, "/file")));
  }
  const auto mount = lab.mount_home("alice", "size=64k");
  ASSERT_TRUE(mount) << mount.error().message;
  EXPECT_TRUE(alice_can(concat("head -c 16384 /dev/zero >", home, "/small")));
  EXPECT_FALSE(alice_can(concat("head -c 131072 /dev/zero >", home, "/large")));
}

// Not a test: what the tests below run in a process of its own, and then end.
TEST(Lab, DISABLED_LeavesAProcessAndWaits) {
  Lab& lab = Lab::get();
  // With one user, /var/tmp is the lab's own.
  const std::string mine = lab.has_several_users()
                               ? concat("/var/tmp/yonder-", lab.user("alice").uid)
                               : lab.directory() + "/mine";
  ASSERT_TRUE(alice_can("mkdir " + mine));
  ASSERT_TRUE(alice_can("setsid sleep 1000.5 </dev/null >/dev/null 2>&1 &"));
  std::cout << "lab " << lab.directory() << " " << mine << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
  }
}

class OtherLab : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started =
        Subprocess::spawn({.argv = {"/proc/self/exe", "--gtest_also_run_disabled_tests",
                                    "--gtest_filter=Lab.DISABLED_LeavesAProcessAndWaits"},
                           .environment = Lab::get().environment()});
    ASSERT_TRUE(started) << started.error().message;
    process_.emplace(*std::move(started));
    std::string line;
    while (!line.starts_with("lab ")) line = read_line();
    const auto words = split(line, ' ');
    directory_ = words.at(1);
    leftover_ = words.at(2);
    // The owner and the process it left.
    ASSERT_EQ(processes_in_lab(directory_).size(), 2u);
    ASSERT_TRUE(path_exists(directory_ + "/home/alice"));
    ASSERT_TRUE(path_exists(leftover_));
  }

  // Before our own lab ends, and takes the other's keeper with it.
  void TearDown() override {
    if (!process_) return;
    process_->input().reset();
    EXPECT_TRUE(process_->wait(soon()));
    EXPECT_TRUE(eventually([&] { return all_gone(); }));
  }

  bool all_gone() const {
    return processes_in_lab(directory_).empty() && !path_exists(directory_) &&
           !path_exists(leftover_);
  }

  std::string read_line() {
    std::string line;
    for (char c = 0;;) {
      const auto n = read_some(process_->output(), &c, 1);
      if (!n || *n == 0) return "lab ended early";
      if (c == '\n') return line;
      line += c;
    }
  }

  std::optional<Subprocess> process_;
  std::string directory_;
  std::string leftover_;
};

TEST_F(OtherLab, LeavesNothingBehindWhenItsOwnerEnds) {
  process_->input().reset();
  const auto status = process_->wait(soon());
  ASSERT_TRUE(status && status->success());
  EXPECT_TRUE(all_gone());
}

TEST_F(OtherLab, LeavesNothingBehindWhenItsOwnerIsKilled) {
  process_->signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return all_gone(); }));
}

TEST_F(OtherLab, HasItsOwnUserIds) {
  need(Need::Users);
  const auto uid = *run_command({"stat", "-c", "%u", directory_ + "/home/alice"});
  EXPECT_NE(uid, concat(Lab::get().user("alice").uid, "\n"));
}

TEST(Processes, AreFoundByAMarkerAndAreGoneAsZombies) {
  const std::string marker = concat("LAB_TEST_MARKER=", ::getpid());
  auto environment = plain_environment();
  environment.push_back(marker);
  auto child = Subprocess::spawn({.argv = {"cat"}, .environment = environment});
  ASSERT_TRUE(child) << child.error().message;
  EXPECT_EQ(processes_matching(marker), std::vector<pid_t>{child->pid()});
  ::kill(child->pid(), SIGKILL);
  // Nobody has reaped it yet.
  EXPECT_TRUE(eventually([&] { return processes_matching(marker).empty(); }));
  EXPECT_EQ(::kill(child->pid(), 0), 0);
}

}  // namespace
}  // namespace yonder::lab
