#include <signal.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file.h"
#include "e2e/sync_fixture.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using Sync = SyncEndToEnd;

std::string text_of(const Json& json) {
  return json.get<std::string>();
}

// The group of `left_out` that a path is an example of.
Json group_with(const Json& result, const std::string& path) {
  for (const auto& group : result["left_out"]) {
    for (const auto& example : group["examples"]) {
      if (example == path) return group;
    }
  }
  return Json::object();
}

TEST_F(Sync, PushesADirectoryWithModesTimesAndLinks) {
  fs::permissions(here() + "/a.txt", fs::perms(0754));
  fs::create_symlink("a.txt", here() + "/link");
  const Json done = push();
  EXPECT_EQ(done["mode"], "inline");
  EXPECT_EQ(done["status"], "completed");
  EXPECT_EQ(done["complete"], true);
  EXPECT_EQ(done["synced_type"], "directory");
  EXPECT_EQ(done["local_path"], fs::canonical(here()).string());
  EXPECT_EQ(done["remote_path"], far());
  EXPECT_EQ(done["uploaded_files"], 3);
  EXPECT_EQ(done["skipped_files"], 0);
  EXPECT_EQ(done["delete_extras"], false);
  EXPECT_EQ(done["task_id"], nullptr);
  EXPECT_EQ(read_there("sub/b.txt"), "two\n");
  EXPECT_EQ(fs::read_symlink(far() + "/link"), "a.txt");
  struct stat there {};
  struct stat mine {};
  ASSERT_EQ(::stat((far() + "/a.txt").c_str(), &there), 0);
  ASSERT_EQ(::stat((here() + "/a.txt").c_str(), &mine), 0);
  EXPECT_EQ(there.st_mode & 07777, 0754U);
  EXPECT_EQ(there.st_mtim.tv_sec, mine.st_mtim.tv_sec);
  const Json again = push();
  EXPECT_EQ(again["uploaded_files"], 0);
  EXPECT_EQ(again["skipped_files"], 3);
}

TEST_F(Sync, RemovesNothingBelowASourceThatIsNoLongerMounted) {
  fs::create_directory(here() + "/data");
  {
    const auto disk = lab::mount_tmpfs(here() + "/data", "size=1m,mode=755");
    ASSERT_TRUE(disk) << disk.error().message;
    write_here("data/x", "on a disk of its own\n");
    push();
  }
  ASSERT_EQ(read_there("data/x"), "on a disk of its own\n");
  write_there("extra", "x");
  const Json done = push({{"delete_extras", true}});
  EXPECT_TRUE(is_there("data/x"));
  EXPECT_FALSE(is_there("extra"));
  EXPECT_THAT(done["warnings"].dump(), HasSubstr("is not mounted now"));
  push({{"delete_extras", true}});
  EXPECT_TRUE(is_there("data/x")) << "nor the next time";
}

TEST_F(Sync, PullsWhatIsOverThere) {
  push();
  write_there("sub/new.txt", "new\n");
  const std::string mirror = here() + "-mirror";
  const Json done = pull({{"local_path", mirror}});
  EXPECT_EQ(done["downloaded_files"], 3);
  EXPECT_EQ(done["created_dirs"], 1);
  EXPECT_EQ(file_text(mirror + "/sub/new.txt"), "new\n");
  const Json gone = pull({{"local_path", mirror}, {"delete_extras", true}});
  EXPECT_EQ(gone["deleted_files"], 0);
}

TEST_F(Sync, SendsOneFileIntoADirectory) {
  const Json done = push({{"local_path", here() + "/a.txt"}, {"remote_path", far() + "/"}});
  EXPECT_EQ(done["synced_type"], "file");
  EXPECT_EQ(read_there("a.txt"), "one\n");
}

TEST_F(Sync, UnderstandsTheHomeDirectoryAtBothEnds) {
  push({{"remote_path", "~/dst"}});
  EXPECT_EQ(read_there("a.txt"), "one\n");
  const std::string name = "from-" + new_marker();
  const Json done = pull({{"local_path", "~/" + name}});
  EXPECT_THAT(text_of(done["local_path"]), HasSubstr("/" + name));
  EXPECT_FALSE(path_exists("~"));
  fs::remove_all(text_of(done["local_path"]));
}

TEST_F(Sync, SaysWhatItLeftOutAndHowToBringItBack) {
  write_here(".env", "TOKEN=x\n");
  write_here("deep/er/node_modules/m.js", "m\n");
  write_here("out/log.txt", "l\n");
  ASSERT_EQ(::mkfifo((here() + "/pipe").c_str(), 0600), 0);
  const Json done = push({{"excludes", {"/out"}}});
  EXPECT_EQ(done["complete"], true);
  EXPECT_FALSE(is_there(".env"));
  EXPECT_FALSE(is_there("deep/er/node_modules"));
  EXPECT_FALSE(is_there("out"));
  EXPECT_THAT(text_of(group_with(done, ".env")["hint"]), HasSubstr("!.env"));
  EXPECT_EQ(group_with(done, "deep/er/node_modules/")["why"], "excluded");
  EXPECT_THAT(text_of(group_with(done, "out/")["rule"]), HasSubstr("excludes"));
  EXPECT_EQ(group_with(done, "pipe")["why"], "special");
  EXPECT_EQ(done["counts"]["excluded"], 3);
  push({{"excludes", {"!.env"}}});
  EXPECT_EQ(read_there(".env"), "TOKEN=x\n");
}

TEST_F(Sync, ADryRunChangesNothing) {
  push();
  write_here("a.txt", "changed\n");
  write_here("c.txt", "new\n");
  write_there("extra", "x");
  const Json plan = push({{"dry_run", true}, {"delete_extras", true}});
  EXPECT_EQ(plan["status"], "planned");
  std::map<std::string, std::string> actions;
  for (const auto& entry : plan["plan"]["entries"]) {
    actions[text_of(entry["path"])] = text_of(entry["action"]);
  }
  EXPECT_EQ(actions["a.txt"], "update");
  EXPECT_EQ(actions["c.txt"], "create");
  EXPECT_EQ(actions["extra"], "delete");
  EXPECT_EQ(plan["plan"]["files_to_send"], 2);
  EXPECT_EQ(read_there("a.txt"), "one\n");
  EXPECT_FALSE(is_there("c.txt"));
  EXPECT_TRUE(is_there("extra"));
}

TEST_F(Sync, RemovesExtrasOnlyWhenThatIsClearlyMeant) {
  const Json home = push_error({{"remote_path", "."}, {"delete_extras", true}});
  EXPECT_THAT(text_of(home["message"]), HasSubstr("home"));
  push();
  const std::string empty = here() + "-empty";
  fs::create_directory(empty);
  const Json nothing = push_error({{"local_path", empty}, {"delete_extras", true}});
  EXPECT_THAT(text_of(nothing["message"]), HasSubstr("empty"));
  for (int i = 0; i < 30; ++i) write_there(concat("extra/", i), "x");
  const Json many = push_error({{"delete_extras", true}});
  EXPECT_THAT(text_of(many["hint"]), HasSubstr("confirm_delete=31"));
  EXPECT_TRUE(is_there("extra/7"));
  const Json done = push({{"delete_extras", true}, {"confirm_delete", 31}});
  EXPECT_EQ(done["deleted_files"], 30);
  EXPECT_EQ(done["deleted_dirs"], 1);
  EXPECT_FALSE(is_there("extra"));
  EXPECT_THAT(done["trash_batches"], Not(IsEmpty()));
}

TEST_F(Sync, ReportsConflictsAndDoesAsItIsTold) {
  push();
  write_here("a.txt", "mine!\n");
  write_there("a.txt", "theirs\n");
  const Json stopped = push();
  EXPECT_EQ(stopped["complete"], false);
  EXPECT_EQ(stopped["status"], "incomplete");
  EXPECT_EQ(stopped["conflicts"][0]["path"], "a.txt");
  EXPECT_EQ(read_there("a.txt"), "theirs\n");
  const Json done = push({{"on_conflict", "keep_local"}});
  EXPECT_EQ(done["complete"], true);
  EXPECT_EQ(read_there("a.txt"), "mine!\n");
}

TEST_F(Sync, KeepsOutOfSecretPlacesOfThisMachine) {
  const Json refused = push_error({{"local_path", "~/.ssh"}});
  EXPECT_EQ(refused["code"], "invalid_argument");
  EXPECT_THAT(text_of(refused["hint"]), HasSubstr("allow_secrets"));
  const std::string innocent = here() + "-innocent";
  fs::create_directory_symlink(fs::path(lab().client_home()) / ".ssh", innocent);
  EXPECT_EQ(push_error({{"local_path", innocent}})["code"], "invalid_argument");
  const Json rules = push_error({{"exclude_file", "~/.ssh/config"}});
  EXPECT_THAT(text_of(rules["message"]), HasSubstr("exclude_file"));
  const Json plan = push({{"local_path", "~"}, {"dry_run", true}});
  const Json group = group_with(plan, ".ssh/");
  EXPECT_THAT(text_of(group["rule"]), HasSubstr("secret place"));
}

TEST_F(Sync, MayBeRestrictedToSomePlaces) {
  write_config_toml(concat("[sync]\nallow = [\"", here(), "/sub\"]\n"));
  const auto restricted = new_agent();
  const Json refused = error_of(restricted->call("sync_local_to_remote", arguments()));
  EXPECT_THAT(text_of(refused["message"]), HasSubstr("may not be synced by agents"));
  const Json done = content_of(
      restricted->call("sync_local_to_remote", arguments({{"local_path", here() + "/sub"}})));
  EXPECT_EQ(done["complete"], true);
}

TEST_F(Sync, WorksFromTheCommandLine) {
  write_here(".env", "x");
  const Captured pushed = run_yonder({"push", "box", here(), far()}, environment());
  EXPECT_EQ(pushed.status.code, 0) << pushed.err;
  EXPECT_THAT(pushed.out, HasSubstr("2 files sent"));
  EXPECT_THAT(pushed.err, HasSubstr("--exclude '!.env'"));
  EXPECT_THAT(pushed.err, Not(HasSubstr("\r"))) << "no bar in a pipe";
  EXPECT_EQ(read_there("a.txt"), "one\n");
  const Captured planned =
      run_yonder({"push", "box", here(), far(), "-n", "--exclude", "!.env"}, environment());
  EXPECT_THAT(planned.out, HasSubstr("create .env"));
  EXPECT_FALSE(is_there(".env"));
  const Captured pulled =
      run_yonder({"pull", "box", far(), here() + "-2", "--json"}, environment());
  EXPECT_EQ(pulled.status.code, 0) << pulled.err;
  EXPECT_EQ(Json::parse(pulled.out)["downloaded_files"], 2);
  write_here("a.txt", "mine\n");
  write_there("a.txt", "theirs, longer\n");
  const Captured conflict = run_yonder({"push", "box", here(), far(), "-q"}, environment());
  EXPECT_EQ(conflict.status.code, 1);
  EXPECT_THAT(conflict.out, IsEmpty());
  EXPECT_THAT(conflict.err, HasSubstr("--on-conflict"));
  const Captured missing = run_yonder({"push", "box", here() + "/no", far()}, environment());
  EXPECT_EQ(missing.status.code, 255);
}

TEST_F(Sync, ANameBeforeAColonIsAMachineAndNeverADirectoryHere) {
  const Captured pushed = run_yonder({"push", here(), "box:" + far()}, environment());
  EXPECT_EQ(pushed.status.code, 0) << pushed.err;
  EXPECT_EQ(read_there("sub/b.txt"), "two\n");
  const Captured unknown = run_yonder({"push", here(), "nowhere:exp"}, environment());
  EXPECT_EQ(unknown.status.code, 255);
  EXPECT_THAT(unknown.err, HasSubstr("no sandbox is named \"nowhere\""));
  EXPECT_FALSE(fs::exists("nowhere:exp"));
  const Captured listed = run_yonder({"ls", "box:" + far() + "/sub"}, environment());
  EXPECT_THAT(listed.out, HasSubstr("b.txt")) << listed.err;
  EXPECT_EQ(run_yonder({"cat", "box:" + far() + "/a.txt"}, environment()).out, "one\n");
  const Captured pulled = run_yonder({"pull", "box:" + far(), here() + "-back"}, environment());
  EXPECT_EQ(pulled.status.code, 0) << pulled.err;
  EXPECT_EQ(file_text(here() + "-back/a.txt"), "one\n");
}

TEST_F(Sync, OfSeveralSourcesEachGoesIntoTheTargetUnderItsOwnName) {
  const std::string target = "box:" + far() + "/both";
  const Captured pushed =
      run_yonder({"push", here() + "/a.txt", here() + "/sub", target, "--json"}, environment());
  EXPECT_EQ(pushed.status.code, 0) << pushed.err;
  EXPECT_EQ(Json::parse(pushed.out)["syncs"].size(), 2U) << pushed.out;
  EXPECT_EQ(read_there("both/a.txt"), "one\n");
  EXPECT_EQ(read_there("both/sub/b.txt"), "two\n");
  const Captured pulled =
      run_yonder({"pull", target + "/a.txt", target + "/sub", here() + "-two"}, environment());
  EXPECT_EQ(pulled.status.code, 0) << pulled.err;
  EXPECT_EQ(file_text(here() + "-two/a.txt"), "one\n");
  EXPECT_EQ(file_text(here() + "-two/sub/b.txt"), "two\n");
  const Captured slip = run_yonder(
      {"push", here() + "/a.txt", here() + "/no", "box:" + far() + "/none"}, environment());
  EXPECT_EQ(slip.status.code, 2);
  EXPECT_FALSE(is_there("none")) << "nothing is copied when one source is missing";
}

TEST_F(Sync, OfSeveralSourcesThatFailsInOneDoesNotSayThatNothingWasChanged) {
  push();
  const std::string from = "box:" + far();
  const Captured pulled =
      run_yonder({"pull", from + "/a.txt", from + "/missing", here() + "-some"}, environment());
  EXPECT_EQ(pulled.status.code, 255) << pulled.err;
  EXPECT_EQ(file_text(here() + "-some/a.txt"), "one\n");
  EXPECT_THAT(pulled.err, HasSubstr("missing"));
  EXPECT_THAT(pulled.err, ::testing::Not(HasSubstr("nothing was changed")));
}

TEST_F(Sync, ToAMachineWhoseColonWasForgottenIsRefused) {
  const Captured slip = run_yonder({"push", here(), "box"}, environment());
  EXPECT_EQ(slip.status.code, 2) << slip.err;
  EXPECT_THAT(slip.err, HasSubstr("'box' is the name of a sandbox, and a colon is missing"));
  EXPECT_THAT(slip.err, HasSubstr("box: or box:PATH"));
  const Captured meant =
      run_yonder({"push", "--sandbox", "box", here() + "/a.txt", "box", "-n"}, environment());
  EXPECT_EQ(meant.status.code, 0) << meant.err;
}

TEST_F(Sync, ShowsABarAtATerminalAndEndsCleanlyOnCtrlC) {
  write_here("big", noise(4U << 20));
  proxy().set_rate(512UL * 1024);
  YonderAtTerminal at({"push", "box", here(), far()}, environment());
  EXPECT_TRUE(at.shows("%  ")) << at.screen();
  EXPECT_TRUE(at.shows(" of 3 files, ")) << at.screen();
  at.type("\x03");
  EXPECT_TRUE(at.shows("what is done stays done")) << at.screen();
  EXPECT_EQ(at.finish().code, 130) << at.screen();
  EXPECT_FALSE(is_there("big"));
  proxy().set_rate(0);
  const Captured again = run_yonder({"push", "box", here(), far()}, environment());
  EXPECT_EQ(again.status.code, 0) << again.err;
  EXPECT_EQ(read_there("big"), noise(4U << 20));
}

TEST_F(Sync, TellsItsClientHowFarItIs) {
  constexpr std::size_t kBig = 3U << 20;
  write_here("big", noise(kBig));
  proxy().set_rate(1024UL * 1024);
  const int id = agent().call_with_progress("sync_local_to_remote", arguments());
  const Reply reply = agent().wait(id);
  EXPECT_EQ(reply.content["complete"], true) << reply.content;
  const auto heard = agent().progress_of(id);
  double before = -1;
  bool in_the_middle = false;
  for (const Json& said : heard) {
    const double now = said.at("progress").get<double>();
    EXPECT_GT(now, before) << said;
    before = now;
    if (!said.contains("total")) continue;
    EXPECT_GE(said["total"].get<double>(), static_cast<double>(kBig));
    EXPECT_LE(now, said["total"].get<double>());
    in_the_middle = in_the_middle || (now > 0 && now < static_cast<double>(kBig));
  }
  EXPECT_TRUE(in_the_middle) << Json(heard);
}

TEST_F(Sync, IsCancelledWithItsCall) {
  write_here("big", noise(4U << 20));
  proxy().set_rate(256UL * 1024);
  const int id = agent().call_async("sync_local_to_remote", arguments());
  EXPECT_TRUE(lab::eventually([&] { return is_there("a.txt") || is_there("sub"); }));
  agent().cancel(id);
  EXPECT_TRUE(agent().answers());
  proxy().set_rate(0);
  EXPECT_GE(push({{"dry_run", true}})["plan"]["files_to_send"].get<int>(), 1);
  EXPECT_FALSE(is_there("big"));
}

}  // namespace
}  // namespace yonder::e2e
