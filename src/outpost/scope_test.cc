#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outpost/background_fixture_test.h"
#include "outpost/launcher.h"
#include "outpost/tree_ender.h"

// With a real systemd of the user's own.
namespace yonder::outpost {
namespace {

constexpr const char* kSystemd = "/lib/systemd/systemd";

// systemd --user in mounts and cgroups of its own; needs root.
class UserSystemd {
 public:
  // What went wrong; empty when it answers.
  std::string begin(const testing::Scratch& scratch) {
    if (!testing::mount_tmpfs("/run", "mode=755")) return "mount /run";
    if (!testing::mount_tmpfs("/var/lib/systemd", "mode=755")) return "mount /var/lib/systemd";
    std::filesystem::create_directories("/run/systemd/system");  // "systemd runs here"
    std::filesystem::create_directories(runtime_);
    ::chmod(runtime_.c_str(), 0700);
    std::filesystem::create_directories("/var/lib/systemd/linger");
    const std::ofstream lingering("/var/lib/systemd/linger/root");
    enter_cgroups();
    ::setenv("XDG_RUNTIME_DIR", runtime_.c_str(), 1);
    ::unsetenv("DBUS_SESSION_BUS_ADDRESS");
    pid_ = ::fork();
    if (pid_ == 0) {
      const Fd log(::open((scratch / "systemd.log").c_str(), O_WRONLY | O_CREAT, 0600));
      ::dup2(log.get(), STDOUT_FILENO);
      ::dup2(log.get(), STDERR_FILENO);
      ::execl(kSystemd, kSystemd, "--user", "--log-target=console", nullptr);
      ::_exit(127);
    }
    const bool answers = testing::eventually([&] { return path_exists(runtime_ + "/bus"); });
    return answers ? "" : "systemd does not come up: " + scratch.read("systemd.log");
  }
  void end() const {
    ::kill(pid_, SIGTERM);
    ::waitpid(pid_, nullptr, 0);
    for (const auto& tree : trees()) std::ofstream(tree + "/cgroup.procs") << ::getpid();
    for (const auto& tree : trees()) remove_cgroup(tree + name_);
  }

 private:
  static std::vector<std::string> trees() {
    std::vector<std::string> trees;
    for (const char* tree : {"/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified"}) {
      if (path_exists(tree)) trees.emplace_back(tree);
    }
    return trees.empty() ? std::vector<std::string>{"/sys/fs/cgroup"} : trees;
  }
  void enter_cgroups() const {
    for (const auto& tree : trees()) {
      ::mkdir((tree + name_).c_str(), 0755);
      std::ofstream(tree + name_ + "/cgroup.procs") << ::getpid();
    }
  }
  static void remove_cgroup(const std::string& path) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(path, ignored)) {
      if (entry.is_directory()) remove_cgroup(entry.path().string());
    }
    ::rmdir(path.c_str());
  }

  std::string runtime_ = concat("/run/user/", ::geteuid());
  std::string name_ = concat("/yonder-test-", ::getpid());
  pid_t pid_ = -1;
};

// Where programs are for systemd is not where they are in a changed root. Entering the mounts that
// one is in leads to their real root: so it is tried, in a process of its own.
bool in_a_chroot() {
  const pid_t child = ::fork();
  if (child == 0) {
    struct statx before {};
    struct statx after {};
    const Fd mounts(::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC));
    const bool seen = ::statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &before) == 0 &&
                      ::setns(mounts.get(), CLONE_NEWNS) == 0 &&
                      ::statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &after) == 0;
    const bool same = before.stx_mnt_id == after.stx_mnt_id && before.stx_ino == after.stx_ino;
    ::_exit(seen && same ? 0 : 1);
  }
  int status = 1;
  ::waitpid(child, &status, 0);
  return status != 0;
}

bool may_mount() {
  const auto way = lab::choose_way();
  return way && *way == lab::Way::Root;
}

bool may_have_systemd() {
  return path_exists(kSystemd) && may_mount() && !in_a_chroot();
}

class Scope : public BackgroundTest {
 protected:
  // Runs `body`, which returns what went wrong, beside such a systemd.
  void beside_systemd(const std::function<std::string()>& body) {
    if (!may_have_systemd()) lab::skip_for(lab::Need::Systemd);
    const auto problem = testing::with_private_mounts([&]() -> std::string {
      UserSystemd systemd;
      std::string wrong = systemd.begin(scratch_);
      if (wrong.empty()) wrong = body();
      end_all_runs();
      systemd.end();
      return wrong;
    });
    EXPECT_EQ(problem, "");
  }
  void end_all_runs() const {
    for (const auto& entry : std::filesystem::directory_iterator(scratch_ / "state/runs")) {
      const RunRecord record(entry.path().string());
      TreeEnder ender(members_of(record, facts_of(record)), Duration::zero());
      testing::eventually([&] { return ender.step(); });
      testing::eventually([&] { return !record.locked(); });
    }
  }
  Result<RunRecord> begin(const std::string& command) const {
    auto wanted = in_background(command);
    wanted.launcher = "";
    TRY_ASSIGN(const Started started, start_run(around_, wanted));
    wait_until_alive(started.record);
    return started.record;
  }
};

TEST_F(Scope, IsWhereABackgroundRunLivesWhenSystemdLingers) {
  beside_systemd([&]() -> std::string {
    const auto record = begin("cat /proc/self/cgroup; echo \"[$INVOCATION_ID]\"; exit 3");
    if (!record) return record.error().message;
    if (wait_for_end(*record).code != 3) return "another exit code";
    const auto alive = alive_of(*record);
    if (alive.launcher != "scope") return "launcher " + text_of(*record, "launch.problem");
    if (alive.cgroup.find("yonder-" + record->id() + ".scope") == std::string::npos) {
      return "cgroup " + alive.cgroup;
    }
    std::string log = log_of(*record);
    if (log.find("yonder-" + record->id() + ".scope") == std::string::npos) return log;
    if (!log.ends_with("[]\nEXIT_CODE=3\n")) return log;
    if (path_exists(record->path("launch.problem"))) return "a problem was left";
    return testing::eventually([&] { return !lives(alive.supervisor); }) ? "" : "it stays";
  });
}

TEST_F(Scope, LetsNothingEscapeThatHasNoMarkAndNoSupervisor) {
  beside_systemd([&]() -> std::string {
    const auto record = begin(
        "setsid env -i sh -c 'echo $$ > escaped; while :; do sleep 0.1; done' & " + until("go"));
    if (!record) return record.error().message;
    const pid_t escaped = pid_from("escaped");
    const auto alive = alive_of(*record);
    ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
    ::kill(static_cast<pid_t>(alive.command.pid), SIGKILL);
    if (!testing::eventually([&] { return !lives(alive.supervisor) && !lives(alive.command); })) {
      return "they do not die";
    }
    const auto facts = observe(*record, around_.boot_id, {.members = true});
    const bool seen = std::any_of(facts.members.begin(), facts.members.end(),
                                  [&](const auto& member) { return member.pid == escaped; });
    if (!seen) return "the escaped process was not seen";
    TreeEnder ender(members_of(*record, facts), Duration::zero());
    testing::eventually([&] { return ender.step(); });
    return process_gone(escaped) ? "" : "the escaped process lives";
  });
}

TEST_F(Scope, IsStoppedWhole) {
  beside_systemd([&]() -> std::string {
    const auto record = begin("sleep 1000 & setsid sleep 1000 & : > ready; wait");
    if (!record) return record.error().message;
    wait_for_file("ready");
    tell(*record, {.grace_ms = 5000});
    if (wait_for_end(*record).cause != wire::Cause::Stop) return "another cause";
    if (!testing::eventually([&] { return !record->locked(); })) return "the supervisor stays";
    return observe(*record, around_.boot_id, {.members = true}).members.empty() ? ""
                                                                                : "something lives";
  });
}

}  // namespace
}  // namespace yonder::outpost
