#include "outpost/processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "base/fd.h"
#include "base/refused_calls_test.h"
#include "base/scratch_test.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "outpost/tree_ender.h"

namespace yonder::outpost {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

std::string stat_line(const std::string& name) {
  return "4711 (" + name +
         ") S 42 4711 4711 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654321 10 11\n";
}

TEST(ParseStat, ReadsNamesThatHoldAnything) {
  for (const std::string name : {"sh", "a b", "a) R 1 (b", ")", "", "(((", "x\ny", "Web Content"}) {
    const auto process = parse_stat(stat_line(name));
    ASSERT_TRUE(process) << name;
    EXPECT_EQ(process->pid, 4711);
    EXPECT_EQ(process->parent, 42);
    EXPECT_EQ(process->state, 'S');
    EXPECT_EQ(process->start_time, 987654321U);
  }
}

TEST(ParseStat, RefusesWhatIsNoWholeLine) {
  for (const std::string line : {"", "4711", "4711 (sh)", "4711 (sh) ", "4711 (sh) S 42", ")(",
                                 "4711 sh S 42 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19"}) {
    EXPECT_FALSE(parse_stat(line)) << line;
  }
}

TEST(Descendants, FindsAllGenerationsInWhateverOrderTheyAreListed) {
  const std::vector<Process> processes{
      {.pid = 2, .parent = 9, .state = 'S'},   {.pid = 9, .parent = 100, .state = 'S'},
      {.pid = 100, .parent = 1, .state = 'S'}, {.pid = 1, .parent = 0, .state = 'S'},
      {.pid = 7, .parent = 1, .state = 'S'},   {.pid = 3, .parent = 2, .state = 'R'}};
  EXPECT_THAT(descendants(processes, 100), UnorderedElementsAre(9, 2, 3));
}

TEST(Descendants, LooksThroughZombiesWithoutNamingThem) {
  const std::vector<Process> processes{{.pid = 10, .parent = 5, .state = 'Z'},
                                       {.pid = 11, .parent = 10, .state = 'S'}};
  EXPECT_THAT(descendants(processes, 5), UnorderedElementsAre(11));
}

TEST(Descendants, EndsWhenParentsFormACircle) {
  const std::vector<Process> processes{{.pid = 5, .parent = 6, .state = 'S'},
                                       {.pid = 6, .parent = 5, .state = 'S'}};
  EXPECT_THAT(descendants(processes, 5), UnorderedElementsAre(6));
  EXPECT_THAT(descendants(processes, 4), IsEmpty());
}

TEST(Lives, KnowsAProcessByItsStartTimeToo) {
  const auto self = key_of(::getpid());
  ASSERT_TRUE(self);
  EXPECT_TRUE(lives(*self));
  EXPECT_FALSE(lives({.pid = self->pid, .start_time = self->start_time + 1}));
}

TEST(Lives, DoesNotCountAZombie) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  const auto key = key_of(child);
  ASSERT_TRUE(key);
  EXPECT_FALSE(lives(*key));
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(key_of(child));
}

TEST(FindMembers, FindsWhatCarriesTheMarkWhoeverItsParentIs) {
  const std::string mark = "YONDER_RUN_ID=r-findmemberstestaa";
  auto marked = Subprocess::spawn({.argv = {"cat"}, .environment = {"A=1", mark}});
  auto longer = Subprocess::spawn({.argv = {"cat"}, .environment = {mark + "x", "B=" + mark}});
  ASSERT_TRUE(marked && longer);
  const auto members = find_members({.supervisor = 0, .mark = mark});
  ASSERT_TRUE(members);
  EXPECT_THAT(*members, UnorderedElementsAre(marked->pid()));
}

TEST(FindMembers, FindsTheCommandByItsStartTimeToo) {
  auto child = Subprocess::spawn({.argv = {"cat"}, .environment = {}});
  ASSERT_TRUE(child);
  auto key = *key_of(child->pid());
  EXPECT_THAT(*find_members({.command = key, .mark = "YONDER_RUN_ID=none"}),
              UnorderedElementsAre(child->pid()));
  ++key.start_time;  // somebody else with the same pid
  EXPECT_THAT(*find_members({.command = key, .mark = "YONDER_RUN_ID=none"}),
              Not(Contains(child->pid())));
}

// Its leader has gone, and what is left has neither a mark nor a parent that tells.
TEST(FindMembers, FindsWhatIsLeftInTheSessionOfTheCommand) {
  const testing::Scratch scratch;
  auto child = Subprocess::spawn(
      {.argv =
           {"setsid", "sh", "-c",
            "cd $0; echo $$ > leader; env -i sleep 1000 & echo $! > left; while [ ! -e go ]; do "
            "sleep 0.01; done",
            scratch.path()},
       .environment = {"PATH=/usr/bin:/bin"}});
  ASSERT_TRUE(child);
  ASSERT_TRUE(testing::eventually([&] { return scratch.read("left").ends_with('\n'); }));
  const auto leader = static_cast<pid_t>(std::atoi(scratch.read("leader").c_str()));
  const auto left = static_cast<pid_t>(std::atoi(scratch.read("left").c_str()));
  auto key = *key_of(leader);
  scratch.write("go", "");
  ASSERT_TRUE(child->wait(testing::patience()));
  ASSERT_TRUE(testing::eventually([&] { return !lives(key); }));
  EXPECT_THAT(*find_members({.command = key, .mark = "YONDER_RUN_ID=none"}),
              UnorderedElementsAre(left));
  EXPECT_THAT(*find_members({.command = key, .ended = true, .mark = "YONDER_RUN_ID=none"}),
              IsEmpty());
  ::kill(left, SIGKILL);
}

// It has a session of its own and no environment, and its parent is not known.
TEST(FindMembers, FindsWhatStillWritesIntoTheOutputOfTheRun) {
  const testing::Scratch scratch;
  ASSERT_EQ(::mkdir((scratch / "r-output").c_str(), 0700), 0);
  scratch.write("r-output/out", "");
  scratch.write("r-output/spec", "");
  const auto spawn = [&](const std::string& redirection) {
    return Subprocess::spawn({.argv = {"sh", "-c", "exec cat " + redirection, scratch.path()},
                              .environment = {"PATH=/usr/bin:/bin"}});
  };
  auto writer = spawn(">>$0/r-output/out");
  auto reader = spawn("3<$0/r-output/out");
  auto other = spawn(">>$0/r-output/spec");
  ASSERT_TRUE(writer && reader && other);
  RunMembers run{.by_files = true, .mark = "YONDER_RUN_ID=r-output"};
  EXPECT_TRUE(testing::eventually([&] {
    const auto found = find_members(run);
    return found && *found == std::vector<pid_t>{writer->pid()};
  }));
  run.command = {.pid = 0, .start_time = key_of(writer->pid())->start_time + 1};
  EXPECT_THAT(*find_members(run), IsEmpty()) << "it is older than the run";
  run = {.mark = "YONDER_RUN_ID=r-output"};
  EXPECT_THAT(*find_members(run), IsEmpty()) << "nobody has asked for it";
}

// A process that has become the supervisor of another run, with a command of its own.
TEST(FindMembers, LeavesOutARunThatWasStartedFromInside) {
  auto told = make_pipe();
  ASSERT_TRUE(told);
  const auto self = key_of(::getpid());
  // The kernel counts in hundredths of a second: what is later must be seen to be.
  ASSERT_TRUE(testing::eventually([&] {
    auto probe = Subprocess::spawn({.argv = {"cat"}, .environment = {}});
    return probe && key_of(probe->pid())->start_time > self->start_time;
  }));
  const pid_t inner = ::fork();
  if (inner == 0) {
    ::prctl(PR_SET_NAME, kSupervisorName);
    const pid_t command = ::fork();
    if (command == 0) ::pause();
    [[maybe_unused]] const auto n = ::write(told->write.get(), &command, sizeof command);
    ::pause();
  }
  pid_t command = 0;
  ASSERT_EQ(::read(told->read.get(), &command, sizeof command), ssize_t{sizeof command});
  auto plain = Subprocess::spawn({.argv = {"cat"}, .environment = {}});
  ASSERT_TRUE(plain);
  const auto members = find_members({.supervisor = ::getpid(), .mark = "YONDER_RUN_ID=none"});
  ::kill(command, SIGKILL);
  ::kill(inner, SIGKILL);
  ::waitpid(inner, nullptr, 0);
  ASSERT_TRUE(members);
  EXPECT_THAT(*members, UnorderedElementsAre(plain->pid()));
}

// Of all processes only this one is left in /proc, as where it hides those of other users.
bool hide_all_others(const std::string& aside) {
  const std::string own = concat("/proc/", ::getpid());
  return ::mkdir(aside.c_str(), 0700) == 0 &&
         ::mount(own.c_str(), aside.c_str(), nullptr, MS_BIND, nullptr) == 0 &&
         testing::mount_tmpfs("/proc", "size=64k,mode=755") && ::mkdir(own.c_str(), 0755) == 0 &&
         ::mount(aside.c_str(), own.c_str(), nullptr, MS_BIND, nullptr) == 0;
}

TEST(FindMembers, KnowsTheSupervisorsChildrenThatProcDoesNotShow) {
  const testing::Scratch scratch;
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    const pid_t child = ::fork();
    if (child == 0) {
      ::pause();
      ::_exit(0);
    }
    const auto kill_child = [&] {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    };
    if (!hide_all_others(scratch / "aside")) {
      kill_child();
      return "mount";
    }
    const RunMembers run{.supervisor = ::getpid(), .mark = "YONDER_RUN_ID=none"};
    const auto members = find_members(run);
    const auto of_another = find_members({.mark = "YONDER_RUN_ID=none"});
    TreeEnder ender(run, std::chrono::hours(1));
    const bool ended_at_once = ender.step();
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT);
    const bool ended = ender.step();
    kill_child();
    if (!members || *members != std::vector<pid_t>{child}) return "it was not found";
    if (!of_another || !of_another->empty()) return "it is only known to its parent";
    if (ended_at_once) return "it was not waited for";
    if (info.si_status != SIGTERM) return "it was not asked to end";
    return ended ? "" : "it was waited for though it had ended";
  });
  EXPECT_EQ(problem, "");
}

TEST(FindMembers, BelievesNoCgroupThatIsNotTheRunsOwn) {
  for (const char* cgroup :
       {"/", "/systemd", "/unified", "/yonder-none/../", "/yonder-none/../.."}) {
    EXPECT_THAT(*find_members({.mark = "YONDER_RUN_ID=none", .cgroup = cgroup}), IsEmpty());
  }
}

TEST(FindMembers, LeavesOutTheAskerItself) {
  EXPECT_THAT(*find_members({.supervisor = ::getppid(), .mark = "YONDER_RUN_ID=none"}),
              Not(Contains(::getppid())));
}

// With no descriptor left, as on a link with very many requests.
TEST(FindMembers, DoesNotCallGoneWhatCannotBeLookedAt) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto members = find_members({.mark = "YONDER_RUN_ID=none"});
  TreeEnder ender({.mark = "YONDER_RUN_ID=none"}, Duration::zero());
  const bool ended = ender.step();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  ASSERT_FALSE(members);
  EXPECT_THAT(members.error().message, HasSubstr("Too many open files"));
  EXPECT_FALSE(ended);
  EXPECT_TRUE(ender.step()) << "there is nothing, as can be seen now";
}

TEST(Describe, ShortensAndMakesPrintable) {
  auto child = Subprocess::spawn(
      {.argv = {"sh", "-c", "read x", "a\nb", std::string(500, 'y')}, .environment = {}});
  ASSERT_TRUE(child);
  const auto shown = describe({child->pid()});
  ASSERT_EQ(shown.size(), 1U);
  EXPECT_TRUE(shown[0].command.starts_with("sh -c read x a\\x0ab yyy")) << shown[0].command;
  EXPECT_LE(shown[0].command.size(), 130U);
}

TEST(Describe, NamesNoMoreThanFifty) {
  EXPECT_EQ(describe(std::vector<pid_t>(200, ::getpid())).size(), 50U);
}

TEST(SendSignal, ReachesOnlyTheVeryProcess) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  const auto key = key_of(child);
  ASSERT_TRUE(key);
  EXPECT_FALSE(send_signal({.pid = child, .start_time = key->start_time + 1}, SIGKILL))
      << "the number belongs to another process by now";
  EXPECT_TRUE(lives(*key));
  EXPECT_TRUE(send_signal(*key, SIGKILL));
  EXPECT_TRUE(testing::eventually([&] { return !lives(*key); }));
  EXPECT_FALSE(send_signal(*key, SIGKILL)) << "a zombie hears nothing";
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(send_signal(*key, SIGKILL));
  EXPECT_FALSE(send_signal({}, SIGKILL));
}

TEST(SendSignal, CarriesItsValueAlsoWhereProcessesHaveNoDescriptors) {
  for (const bool with_descriptors : {true, false}) {
    EXPECT_TRUE(testing::is_so_in_a_child([&] {
      if (!with_descriptors && !testing::refuse_calls({{SYS_pidfd_open, ENOSYS}})) return false;
      sigset_t set;
      ::sigemptyset(&set);
      ::sigaddset(&set, SIGUSR1);
      ::sigprocmask(SIG_BLOCK, &set, nullptr);
      siginfo_t info{};
      return send_signal(*key_of(::getpid()), SIGUSR1, 4711) &&
             ::sigwaitinfo(&set, &info) == SIGUSR1 && info.si_value.sival_int == 4711;
    })) << with_descriptors;
  }
}

}  // namespace
}  // namespace yonder::outpost
