#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file.h"
#include "e2e/sync_fixture.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

constexpr std::size_t kBig = 6U << 20;
constexpr std::uint64_t kSlow = 128UL * 1024;

class Transfers : public SyncEndToEnd {
 protected:
  static std::string text_of(const Json& json) { return json.get<std::string>(); }
  static std::int64_t id_of(const Json& started) { return started["task_id"].get<std::int64_t>(); }

  Json start(const Json& more = Json::object()) {
    return content_of(agent().call("sync_local_to_remote_background", arguments(more)));
  }
  // A transfer that is in the middle of one big file, and takes its time.
  std::int64_t start_slow() {
    push();
    write_here("big", noise(kBig));
    proxy().set_rate(kSlow);
    const std::int64_t id = id_of(start());
    EXPECT_TRUE(lab::eventually([&] {
      const Json now = check(id);
      return now["running"] == true && now["progress"].is_object() &&
             now["progress"].value("bytes_done", 0) > 0;
    }));
    return id;
  }
};

TEST_F(Transfers, TakeOverWhatIsTooLargeToWaitFor) {
  write_many(199);
  const Json small = push();
  EXPECT_EQ(small["mode"], "background") << "201 files are more than 200";
  EXPECT_EQ(small["auto_switched"], true);
  EXPECT_EQ(small["status"], "queued");
  EXPECT_GT(small["pid"].get<int>(), 0);
  const Json done = finished(id_of(small));
  EXPECT_EQ(done["status"], "completed") << done.dump();
  EXPECT_EQ(done["complete"], true);
  EXPECT_EQ(done["running"], false);
  EXPECT_EQ(done["result"]["uploaded_files"], 201);
  EXPECT_EQ(done["progress"]["phase"], "complete");
  EXPECT_EQ(done["result"]["mode"], "background");
  EXPECT_EQ(read_there("many/f198"), "f198\n");
  EXPECT_THAT(text_of(done["log_tail"]), HasSubstr("plan: 201 files"));
  EXPECT_THAT(text_of(done["log_tail"]), HasSubstr("complete: 201 files"));
  struct stat info {};
  ASSERT_EQ(::stat(text_of(done["log_file"]).c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0600U);
  EXPECT_EQ(push()["mode"], "inline") << "only what is to be sent counts";
}

TEST_F(Transfers, LookWhereALinkLeadsWhenTheyBegin) {
  const std::string way = here() + "-way";
  fs::create_directory_symlink(here(), way);
  proxy().stall();
  const std::int64_t id = id_of(start({{"local_path", way}}));
  fs::remove(way);
  fs::create_directory_symlink(fs::path(lab().client_home()) / ".ssh", way);
  proxy().resume();
  const Json ended = finished(id);
  EXPECT_EQ(ended["status"], "failed");
  EXPECT_THAT(text_of(ended["error"]["message"]), HasSubstr("usually holds secrets"));
  EXPECT_FALSE(path_exists(far()));
}

TEST_F(Transfers, OfPeopleAreNotRestrictedAsThoseOfAgents) {
  write_config_toml("[sync]\nallow = []\n");
  const Captured started =
      run_yonder({"push", "box", here(), far(), "--background"}, environment());
  ASSERT_EQ(started.status.code, 0) << started.err;
  EXPECT_EQ(finished(std::stoll(started.out))["status"], "completed");
}

TEST_F(Transfers, HaveLimitsThatMoveInBothDirections) {
  write_many(230);
  const auto patient = new_agent({"REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES=1000"});
  const Json all = content_of(patient->call("sync_local_to_remote", arguments()));
  EXPECT_EQ(all["mode"], "inline");
  EXPECT_EQ(all["uploaded_files"], 232);
  write_here("c", "c");
  const auto hasty = new_agent({"REMOTE_SANDBOX_INLINE_SYNC_MAX_BYTES=0"});
  const Json one = content_of(hasty->call("sync_local_to_remote", arguments()));
  EXPECT_EQ(one["mode"], "background");
  EXPECT_EQ(finished(id_of(one))["complete"], true);
  const Json back = content_of(
      hasty->call("sync_remote_to_local", arguments({{"local_path", here() + "-mirror"}})));
  EXPECT_EQ(back["mode"], "background") << "both ways";
  EXPECT_EQ(finished(id_of(back))["result"]["downloaded_files"], 233);
}

TEST_F(Transfers, TakeOverWhatIsNotDoneInTime) {
  write_here("big", noise(kBig));
  proxy().set_rate(kSlow);
  const Json handed = push({{"wait_s", 2}});
  EXPECT_EQ(handed["mode"], "background");
  EXPECT_EQ(handed["auto_switched"], true);
  proxy().set_rate(0);
  const Json ended = finished(id_of(handed));
  EXPECT_EQ(ended["complete"], true);
  EXPECT_EQ(ended["result"]["uploaded_files"], 3) << "whoever has sent them";
  EXPECT_EQ(read_there("big"), noise(kBig));
}

TEST_F(Transfers, TakeOverWhatAClientLeavesBehind) {
  write_here("big", noise(kBig));
  proxy().set_rate(kSlow);
  const auto leaving = new_agent();
  leaving->call_async("sync_local_to_remote", arguments());
  EXPECT_TRUE(lab::eventually([&] { return path_exists(far()); }));
  EXPECT_TRUE(leaving->close());
  proxy().set_rate(0);
  const Json list = content_of(agent().call("list_file_transfer_tasks", Json::object()));
  EXPECT_EQ(finished(id_of(list["tasks"][0]))["complete"], true);
  EXPECT_EQ(read_there("big"), noise(kBig));
}

TEST_F(Transfers, GoOnWhenTheClientIsKilled) {
  const std::int64_t id = start_slow();
  agent().crash();
  proxy().set_rate(0);
  const auto next = new_agent();
  const Json done =
      content_of(next->call("check_file_transfer_task", {{"task_id", id}, {"wait_s", 600}}));
  EXPECT_EQ(done["status"], "completed") << done.dump();
  EXPECT_EQ(done["complete"], true);
  EXPECT_EQ(read_there("big"), noise(kBig));
  const Json list = content_of(next->call("list_file_transfer_tasks", Json::object()));
  EXPECT_EQ(list["tasks"][0]["task_id"], id);
}

TEST_F(Transfers, ShowHowFarTheyAre) {
  const std::int64_t id = start_slow();
  const Json now = check(id);
  EXPECT_EQ(now["pending"], false);
  EXPECT_EQ(now["stale"], false);
  EXPECT_EQ(now["progress"]["phase"], "uploading");
  EXPECT_EQ(now["progress"]["files_total"], 1);
  EXPECT_EQ(now["progress"]["bytes_total"], kBig);
  const Captured shown = run_yonder({"transfers"}, environment());
  EXPECT_THAT(shown.out, HasSubstr(concat(id, "\trunning\tlocal_to_remote\tbox\t")));
  const Captured one = run_yonder({"transfers", std::to_string(id)}, environment());
  EXPECT_EQ(one.status.code, 75);
  EXPECT_THAT(one.out, HasSubstr("plan: 1 file "));
  const Captured ended = run_yonder({"transfers", "--cancel", std::to_string(id)}, environment());
  EXPECT_EQ(ended.status.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("cancelled"));
}

TEST_F(Transfers, WhoseWorkerIsKilledAreFailedAndCanBeContinued) {
  const std::int64_t id = start_slow();
  ASSERT_EQ(::kill(check(id)["pid"].get<pid_t>(), SIGKILL), 0);
  EXPECT_TRUE(lab::eventually([&] { return check(id)["status"] == "failed"; }));
  const Json lost = check(id);
  EXPECT_EQ(lost["stale"], true);
  EXPECT_EQ(lost["error"]["message"], "the worker ended without a result");
  EXPECT_EQ(cancel(id)["already_finished"], true);
  EXPECT_FALSE(is_there("big"));
  proxy().set_rate(0);
  const Json again = push();
  EXPECT_EQ(again["complete"], true) << again.dump();
  EXPECT_EQ(read_there("big"), noise(kBig));
}

TEST_F(Transfers, AreCancelledWithoutHalfFiles) {
  const std::int64_t id = start_slow();
  const pid_t worker = check(id)["pid"].get<pid_t>();
  const Json ended = cancel(id);
  EXPECT_EQ(ended["status"], "cancelled") << ended.dump();
  EXPECT_EQ(ended["terminated"], true);
  EXPECT_EQ(ended["force_killed"], false);
  EXPECT_EQ(ended["already_finished"], false);
  EXPECT_FALSE(lab::is_alive(worker));
  EXPECT_FALSE(is_there("big"));
  EXPECT_EQ(check(id)["status"], "cancelled");
  EXPECT_EQ(cancel(id)["already_finished"], true);
}

TEST_F(Transfers, ThatDoNotListenAreKilled) {
  const std::int64_t id = start_slow();
  const pid_t worker = check(id)["pid"].get<pid_t>();
  ASSERT_EQ(::kill(worker, SIGSTOP), 0);
  const Json ended = cancel(id, 0.5);
  EXPECT_EQ(ended["status"], "cancelled") << ended.dump();
  EXPECT_EQ(ended["force_killed"], true);
  EXPECT_EQ(ended["error"], nullptr);
  EXPECT_FALSE(lab::is_alive(worker));
  EXPECT_FALSE(is_there("big"));
}

TEST_F(Transfers, SayWhyTheyFailed) {
  write_there("a.txt", "a file, where a directory should go");
  const Json started = start({{"remote_path", far() + "/a.txt/below"}});
  const Json done = finished(id_of(started));
  EXPECT_EQ(done["status"], "failed");
  EXPECT_EQ(done["stale"], false);
  EXPECT_EQ(done["error"]["code"], "invalid_argument");
  EXPECT_THAT(text_of(done["log_tail"]), HasSubstr("a.txt"));
}

TEST_F(Transfers, OfWhatIsNotThereAreRefusedAtOnce) {
  const auto tasks = [&] { return agent().call("list_file_transfer_tasks", {}).content["tasks"]; };
  const Json before = tasks();
  const Json refused = push_error({{"local_path", here() + "/missing"}, {"background", true}});
  EXPECT_EQ(refused["code"], "not_found");
  EXPECT_THAT(text_of(refused["message"]), HasSubstr("missing"));
  EXPECT_EQ(tasks(), before);
}

TEST_F(Transfers, ThatLeaveConflictsAreCompletedButNotComplete) {
  push();
  write_here("a.txt", "mine!\n");
  write_there("a.txt", "theirs\n");
  const std::int64_t id = id_of(start());
  const Json done = finished(id);
  EXPECT_EQ(done["status"], "completed");
  EXPECT_EQ(done["complete"], false);
  EXPECT_EQ(done["result"]["status"], "incomplete");
  EXPECT_EQ(done["result"]["conflicts"][0]["path"], "a.txt");
  const Captured shown = run_yonder({"transfers", std::to_string(id)}, environment());
  EXPECT_EQ(shown.status.code, 1);
  EXPECT_THAT(shown.out, HasSubstr("incomplete"));
}

TEST_F(Transfers, StartFromTheCommandLine) {
  const Captured started =
      run_yonder({"push", "box", here(), far(), "--background"}, environment());
  EXPECT_EQ(started.status.code, 0) << started.err;
  const std::int64_t id = std::stoll(started.out);
  EXPECT_EQ(finished(id)["complete"], true);
  EXPECT_EQ(read_there("a.txt"), "one\n");
}

TEST_F(Transfers, ThatAreUnknownAreAnError) {
  const Json error = error_of(agent().call("check_file_transfer_task", {{"task_id", 999999}}));
  EXPECT_EQ(error["code"], "not_found");
  EXPECT_EQ(run_yonder({"transfers", "999999"}, environment()).status.code, 255);
}

}  // namespace
}  // namespace yonder::e2e
