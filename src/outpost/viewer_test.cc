#include "outpost/viewer.h"

#include <gmock/gmock.h>

#include "base/subprocess.h"
#include "outpost/background_fixture_test.h"
#include "outpost/command.h"
#include "outpost/self.h"

namespace yonder::outpost {
namespace {

using ::testing::HasSubstr;

// `outpost show`, in a process of its own.
class Show : public BackgroundTest {
 protected:
  Subprocess show(const RunRecord& record) const {
    auto shown = Subprocess::spawn(
        {.argv = {own_path(), "show", record.directory()}, .environment = current_environment()});
    EXPECT_TRUE(shown);
    return *std::move(shown);
  }
  static std::string read_until(Subprocess& shown, const std::string& text) {
    std::string seen;
    std::array<char, 4096> buffer{};
    while (seen.find(text) == std::string::npos) {
      const auto n = read_some(shown.output(), buffer.data(), buffer.size());
      if (!n || *n == 0) break;
      seen.append(buffer.data(), *n);
    }
    return seen;
  }
  static std::string read_all(Subprocess& shown) { return read_until(shown, "\xff"); }
};

TEST_F(Show, PrintsTheLogAsItGrowsAndHowTheRunEnded) {
  scratch_.write("a.log", "old\n");
  auto wanted = in_background("echo one; " + until("go") + "printf two; exit 3");
  wanted.log_file = "a.log";
  const auto record = start(wanted);
  auto shown = show(record);
  EXPECT_EQ(
      read_until(shown, "one\n"),
      concat("yonder: run ", record.id(), "; Ctrl-C closes this view, the run goes on; `yonder ",
             "attach ", record.id(), "` opens it again\none\n"));
  scratch_.write("go", "");
  EXPECT_EQ(read_all(shown), "two\nEXIT_CODE=3\nyonder: the run has exited with code 3\n");
  EXPECT_FALSE(path_exists(record.path("tmux"))) << "it is in no session";
}

TEST_F(Show, PrintsTheWholeOfALongLog) {
  const auto record = start(in_background("seq 100000"));
  wait_for_end(record);
  auto shown = show(record);
  const std::string text = read_all(shown);
  EXPECT_THAT(text, HasSubstr("\n100000\nEXIT_CODE=0\nyonder: the run has exited with code 0\n"));
  EXPECT_EQ(text.size(), 588895 + text.find('\n') + 1 + std::string("EXIT_CODE=0\n").size() +
                             std::string("yonder: the run has exited with code 0\n").size());
}

TEST_F(Show, SaysThatARunWasStopped) {
  const auto record = start(in_background("exec sleep 1000"));
  auto shown = show(record);
  tell(record, {.grace_ms = 3600 * 1000});
  EXPECT_THAT(read_all(shown),
              HasSubstr("yonder: the run was ended by signal 15, because it was stopped\n"));
}

TEST_F(Show, SaysThatNobodyHasSeenHowARunEnded) {
  const auto record = start(in_background("echo begun; sleep 1000"));
  auto shown = show(record);
  read_until(shown, "begun\n");
  const auto alive = alive_of(record);
  ::kill(static_cast<pid_t>(alive.supervisor.pid), SIGKILL);
  ::kill(static_cast<pid_t>(alive.command.pid), SIGKILL);
  EXPECT_THAT(read_all(shown), HasSubstr("nobody has seen how it ended"));
}

TEST_F(Show, EndsWhenTheRecordIsGone) {
  const auto record = start(in_background("echo begun; " + until("go")));
  auto shown = show(record);
  read_until(shown, "begun\n");
  const auto alive = alive_of(record);
  std::filesystem::remove_all(record.directory());
  EXPECT_THAT(read_all(shown), HasSubstr("the record of the run is gone"));
  // Without its record nobody else would find it.
  scratch_.write("go", "");
  EXPECT_TRUE(testing::eventually([&] { return !lives(alive.supervisor); }));
}

TEST_F(Show, EndsByItselfAloneWhenItIsClosed) {
  const auto record = start(in_background("echo begun; " + until("go") + "exit 4"));
  {
    auto shown = show(record);
    read_until(shown, "begun\n");
    shown.signal(SIGINT);
    EXPECT_TRUE(shown.wait(testing::patience()));
  }
  scratch_.write("go", "");
  EXPECT_EQ(wait_for_end(record).code, 4);
}

}  // namespace
}  // namespace yonder::outpost
