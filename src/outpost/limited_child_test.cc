#include "outpost/limited_child.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch_test.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/processes.h"

namespace yonder::outpost {
namespace {

using testing::eventually;
using testing::Scratch;

constexpr std::size_t kMost = 100000;

void say(std::string_view text) {
  [[maybe_unused]] const auto n = ::write(STDOUT_FILENO, text.data(), text.size());
}

std::vector<Said> run(const std::vector<std::function<void()>>& works, Duration limit) {
  std::vector<LimitedChild> children;
  for (const auto& work : works) {
    auto child = LimitedChild::start(work);
    if (child) children.push_back(*std::move(child));
  }
  return collect(std::move(children), kMost, Deadline::after(limit));
}

bool is_gone(pid_t pid) {
  const auto process = look_at(pid);
  return !process || process->gone();
}

// Until it is killed.
void hang() {
  while (true) ::pause();
}

TEST(LimitedChild, GivesBackWhatItSays) {
  const auto said =
      run({[] { say("words"); },
           [] { [[maybe_unused]] const auto n = ::write(STDERR_FILENO, "trouble", 7); }},
          testing::kPatience);
  ASSERT_EQ(said.size(), 2U);
  EXPECT_EQ(said[0].out, "words");
  EXPECT_EQ(said[0].err, "");
  EXPECT_EQ(said[0].end, Said::End::Whole);
  EXPECT_EQ(said[1].out, "");
  EXPECT_EQ(said[1].err, "trouble");
}

TEST(LimitedChild, TellsHowItEnded) {
  const Scratch scratch;
  const auto is_there = [&](const char* name) {
    return testing::eventually([&] { return path_exists(scratch / name); });
  };
  const auto said = run({[] { ::_exit(7); },
                         [] {
                           say("half of");
                           ::raise(SIGKILL);
                         },
                         [&] {
                           say("done");
                           ::close(STDOUT_FILENO);
                           ::close(STDERR_FILENO);
                           scratch.write("closed", "");
                           ::_exit(is_there("go") ? 3 : 4);
                         },
                         // Whoever has closed its outputs goes on until somebody has seen it.
                         [&] {
                           if (is_there("closed")) scratch.write("go", "");
                         }},
                        testing::kPatience);
  ASSERT_EQ(said.size(), 4U);
  EXPECT_EQ(said[0].status, 7);
  EXPECT_EQ(said[1].signal, SIGKILL);
  EXPECT_EQ(said[2].status, 3);
  EXPECT_EQ(said[2].end, Said::End::Whole);
}

TEST(LimitedChild, ThatClosesItsOutputsAndLivesOnIsTooLate) {
  const auto said = run({[] {
                          ::close(STDOUT_FILENO);
                          ::close(STDERR_FILENO);
                          hang();
                        }},
                        std::chrono::milliseconds(100));
  EXPECT_EQ(said[0].end, Said::End::TooLate);
}

TEST(LimitedChild, IsGivenUpAtItsLimitAndTheOthersAreHeard) {
  std::vector<Said> said(2);
  // The quick one has its limit too, and gets more time where that was not enough.
  for (Duration limit = std::chrono::milliseconds(100); said[1].out.empty(); limit *= 2) {
    ASSERT_LT(limit, Duration(testing::kPatience));
    said = run({hang, [] { say("quick"); }}, limit);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[0].end, Said::End::TooLate);
  }
  EXPECT_EQ(said[1].out, "quick");
}

TEST(LimitedChild, IsGoneAfterItsLimitWithAllItHasStarted) {
  const Scratch scratch;
  const std::string script = concat("sleep 1000 & echo $! > ", scratch.path(), "/unfinished; mv ",
                                    scratch.path(), "/unfinished ", scratch.path(), "/pid; wait");
  auto child = LimitedChild::start([&] {
    execute({.program = "/bin/sh", .argv = {"sh", "-c", script}, .environment = {"PATH=/bin"}});
  });
  ASSERT_TRUE(child);
  const pid_t leader = child->pid();
  ASSERT_TRUE(eventually([&] { return !scratch.read("pid").empty(); }));
  std::vector<LimitedChild> children;
  children.push_back(*std::move(child));
  const auto said = collect(std::move(children), kMost, Deadline::after(Duration::zero()));
  EXPECT_EQ(said[0].end, Said::End::TooLate);
  EXPECT_TRUE(eventually([&] { return is_gone(leader); }));
  EXPECT_TRUE(eventually([&] { return is_gone(std::atoi(scratch.read("pid").c_str())); }));
}

TEST(LimitedChild, IsStoppedWhenItSaysTooMuch) {
  const auto said = run({[] {
                          const std::string much(4096, 'x');
                          while (true) say(much);
                        }},
                        testing::kPatience);
  EXPECT_EQ(said[0].end, Said::End::TooMuch);
  EXPECT_LE(said[0].out.size(), kMost + 16384);
}

TEST(LimitedChild, DiesWithTheProcessThatStartedIt) {
  const Scratch scratch;
  const pid_t starter = ::fork();
  if (starter == 0) {
    auto child = LimitedChild::start(hang);
    scratch.write("unfinished", std::to_string(child->pid()));
    std::filesystem::rename(scratch / "unfinished", scratch / "pid");
    hang();
  }
  ASSERT_TRUE(eventually([&] { return !scratch.read("pid").empty(); }));
  ::kill(starter, SIGKILL);
  ::waitpid(starter, nullptr, 0);
  EXPECT_TRUE(eventually([&] { return is_gone(std::atoi(scratch.read("pid").c_str())); }));
}

TEST(LimitedChild, HoldsNoneOfOurDescriptors) {
  auto pipe = make_pipe();
  ASSERT_TRUE(pipe);
  auto child = LimitedChild::start([] {
    say("here");
    hang();
  });
  ASSERT_TRUE(child);
  pipe->write.reset();
  char byte = 0;
  const auto n = read_some(pipe->read, &byte, 1);  // would wait for the child otherwise
  ASSERT_TRUE(n);
  EXPECT_EQ(*n, 0U);
}

// As a supervisor does, which takes its children for a part of its run.
TEST(LimitedChild, LeavesNoChildToOneWhoAdoptsOrphans) {
  const Scratch scratch;
  const std::string script = concat(
      "setsid sh -c 'echo $$ > ", scratch.path(), "/unfinished; mv ", scratch.path(),
      "/unfinished ", scratch.path(), "/pid; exec sleep 1000' > /dev/null 2>&1 & while [ ! -e ",
      scratch.path(), "/pid ]; do sleep 0.01; done; echo done; exit 3");
  const pid_t supervisor = ::fork();
  if (supervisor == 0) {
    ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    const auto said = run({[&] {
                            execute({.program = "/bin/sh",
                                     .argv = {"sh", "-c", script},
                                     .environment = {"PATH=/usr/bin:/bin"}});
                          }},
                          testing::kPatience);
    // What was killed may need a moment to be gone; what was adopted stays.
    const bool childless =
        eventually([] { return ::waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD; });
    int adopts = 0;
    ::prctl(PR_GET_CHILD_SUBREAPER, &adopts);
    const bool heard = said.size() == 1 && said[0].out == "done\n" && said[0].status == 3 &&
                       said[0].end == Said::End::Whole;
    ::_exit(!heard ? 1 : !childless ? 2 : adopts == 0 ? 3 : 0);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(supervisor, &status, 0), supervisor);
  EXPECT_EQ(status, 0);
  const pid_t left = std::atoi(scratch.read("pid").c_str());
  ASSERT_GT(left, 1);
  EXPECT_FALSE(is_gone(left)) << "else nothing was shown";
  ::kill(left, SIGKILL);
}

}  // namespace
}  // namespace yonder::outpost
