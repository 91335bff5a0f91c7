#include <signal.h>

#include "base/file.h"
#include "e2e/background_fixture.h"

// Commands that behave badly, and machines that run out of something.

namespace yonder::e2e {
namespace {

using ::testing::IsEmpty;

class OddCommands : public Background {};

TEST_F(OddCommands, ThatForkWithoutEndAreGoneAtTheirLimit) {
  const Json started =
      start("while :; do setsid sleep 1000 & sleep 1000 & sleep 0.01; done", {{"timeout_s", 1}});
  const Json ended = end_of(started);
  EXPECT_EQ(ended["state"], "timed_out");
  EXPECT_THAT(ended["left_running"], IsEmpty());
  EXPECT_TRUE(lab::eventually([&] { return processes_of(started).empty(); }));
}

TEST_F(OddCommands, ThatCloseTheirOutputStillEnd) {
  const Json started = start("echo before; exec >&- 2>&-; exit 6");
  EXPECT_EQ(end_of(started)["exit_code"], 6);
  EXPECT_EQ(log_of(started), "before\nEXIT_CODE=6\n");
}

TEST_F(OddCommands, ThatChangeTheirProcessGroupAreStopped) {
  const Json started = start("set -m; (sleep 1000; true) & echo up; fg");
  check_run(started, {{"offset", 0}, {"wait_s", 600}});
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
  EXPECT_THAT(processes_of(started), IsEmpty());
}

TEST_F(OddCommands, ThatPrintGigabytesCostNoMemoryHereOrThere) {
  const Json started = start("head -c 2000000000 /dev/zero; echo; echo the end");
  Json ended = end_of(started);
  EXPECT_EQ(ended["exit_code"], 0);
  ended = check_run(started, {{"last_n_lines", 2}});
  EXPECT_EQ(ended["log_tail"], "the end\nEXIT_CODE=0\n");
  EXPECT_EQ(ended["log_size"], 2000000000 + 9 + 12);
  EXPECT_LT(peak_memory(client().pid()), enough_memory());
  client().call("exec_bash", exec_arguments("rm -f " + started["log_file"].get<std::string>()));
}

TEST_F(OddCommands, ThatSayNothingForLongAreRunning) {
  const Json started = start("sleep 1000");
  const Json seen = check_run(started, {{"wait_s", 0.2}});
  EXPECT_EQ(seen["state"], "running");
  EXPECT_EQ(seen["log_tail"], "");
  EXPECT_EQ(stop(started, {{"grace_s", 1}})["gone"], true);
}

TEST_F(OddCommands, WhoseDiskIsFullInTheMiddleEndWithARecord) {
  const auto user = new_user();
  auto mount = lab().mount_home(user.name, "size=4m");
  ASSERT_TRUE(mount);
  auto sshd = start_sshd();
  write_hosts({host("small", sshd, user.name)});
  const Json started = start("head -c 20000000 /dev/zero; echo status $? >&2; exit 9",
                             {{"sandbox_name", "small"}, {"env", {{"LC_ALL", "C"}}}});
  const Json ended = end_of(started);
  EXPECT_EQ(ended["state"], "exited");
  EXPECT_EQ(ended["exit_code"], 9);
  EXPECT_EQ(ended["proof"], "exit record");
}

TEST_F(OddCommands, AreFoundAmongFiveHundredOthers) {
  const std::string go = new_open_directory() + "/go";
  std::vector<int> calls;
  for (int i = 0; i < 500; ++i) {
    calls.push_back(
        client().call_async("exec_bash_background",
                            {{"command", "exit 0"}, {"sandbox_name", "local"}, {"watch", false}}));
    if (calls.size() == 20) {
      for (const int id : calls) content_of(client().wait(id));
      calls.clear();
    }
  }
  const Json started = start("echo here; exit 12", {{"description", "the one"}});
  EXPECT_EQ(end_of(started)["exit_code"], 12);
  const Json list = content_of(client().call("list_background_tasks", {{"limit", 500}}));
  EXPECT_EQ(list["tasks"].size(), 500U);
  EXPECT_EQ(list["tasks"][0]["description"], "the one");
}

}  // namespace
}  // namespace yonder::e2e
