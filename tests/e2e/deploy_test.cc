#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "e2e/deploy_fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Deploy : public DeployTest {
 protected:
  std::string var_tmp() const { return concat("/var/tmp/yonder-", user().uid); }

  lab::Mount mount(const std::string& path, const std::string& options) {
    auto mounted = lab::mount_tmpfs(path, options);
    if (!mounted) throw std::runtime_error(mounted.error().message);
    return *std::move(mounted);
  }
  lab::Mount mount_home(const std::string& options) {
    auto mounted = lab().mount_home(user().name, options);
    if (!mounted) throw std::runtime_error(mounted.error().message);
    return *std::move(mounted);
  }
};

TEST_F(Deploy, PutsTheProgramIntoTheCacheOnce) {
  use();
  expect_works();
  ASSERT_THAT(outposts_in(cache()), SizeIs(1));
  EXPECT_THAT(names_in(cache()), SizeIs(1));  // and no half-made file
  const std::string program = cache() + "/" + outposts_in(cache()).at(0);
  struct stat first {};
  ASSERT_EQ(::stat(program.c_str(), &first), 0);
  EXPECT_EQ(first.st_mode & 0777U, 0700U);
  EXPECT_EQ(first.st_uid, user().uid);
  auto second = new_agent();
  EXPECT_EQ(say_hello(*second), concat("hello from ", user().name, "\n"));
  struct stat again {};
  ASSERT_EQ(::stat(program.c_str(), &again), 0);
  EXPECT_EQ(first.st_ino, again.st_ino);
}

TEST_F(Deploy, TakesAnotherPlaceWhereHomeMayNotBeExecuted) {
  use();
  const lab::Mount home = mount_home("noexec");
  expect_works();
  EXPECT_THAT(outposts_in(cache()), IsEmpty());
  EXPECT_THAT(outposts_in(var_tmp()), SizeIs(1));
}

TEST_F(Deploy, TakesAnotherPlaceWhereHomeIsReadOnly) {
  use();
  const lab::Mount home = mount_home("ro");
  expect_works();
  EXPECT_THAT(outposts_in(var_tmp()), SizeIs(1));
}

TEST_F(Deploy, TakesAnotherPlaceWhereHomeIsFull) {
  use();
  const lab::Mount home = mount_home("size=64k");
  expect_works();
  EXPECT_THAT(names_in(cache()), IsEmpty());
  EXPECT_THAT(outposts_in(var_tmp()), SizeIs(1));
}

TEST_F(Deploy, SaysOfEachPlaceWhyItIsOfNoUse) {
  lab::need(lab::Need::Users);
  use();
  const lab::Mount home = mount_home("ro");
  const lab::Mount var_tmp_mount = mount("/var/tmp", "noexec,mode=1777");
  const lab::Mount shm = mount("/dev/shm", "size=64k,mode=1777");
  // Somebody else was there first.
  const std::string taken = concat("/tmp/yonder-", user().uid);
  ASSERT_TRUE(make_directory(taken));
  const Json error = bash_error("true", {{"sandbox_name", "far"}});
  EXPECT_EQ(error["code"], "no_place") << error;
  const std::string message = error["message"];
  EXPECT_THAT(message, HasSubstr(cache() + ": "));
  EXPECT_THAT(message, HasSubstr("Read-only file system"));
  EXPECT_THAT(message, HasSubstr(var_tmp() + ": programs may not be run there"));
  EXPECT_THAT(message, HasSubstr(taken + ": not a directory of our own"));
  EXPECT_THAT(message, HasSubstr(concat("/dev/shm/yonder-", user().uid,
                                        ": the program did not arrive whole")));
}

TEST_F(Deploy, ReplacesAFileThatIsNotWhole) {
  use();
  expect_works();
  const std::string program = cache() + "/" + outposts_in(cache()).at(0);
  const std::string whole = file_text(program);
  ASSERT_GT(whole.size(), 100000u);
  std::string damaged = whole;
  damaged[damaged.size() / 2] ^= 1;
  for (const std::string& content : {whole.substr(0, whole.size() / 2), damaged, std::string(),
                                     std::string(whole.size(), '\0')}) {
    write_users_file(program, content);
    auto later = new_agent();
    EXPECT_EQ(say_hello(*later), concat("hello from ", user().name, "\n"));
    EXPECT_TRUE(file_text(program) == whole);
  }
}

TEST_F(Deploy, CollectsOldVersionsAndLeavesThoseInUse) {
  use();
  make_users_directory(cache());
  write_users_file(cache() + "/outpost-00000000000000000000000000000001", "old");
  write_users_file(cache() + "/outpost-00000000000000000000000000000002", "used yesterday");
  write_users_file(cache() + "/.new-abandoned", "half");
  const auto age = [&](const std::string& name, std::chrono::hours hours) {
    std::filesystem::last_write_time(cache() + "/" + name,
                                     std::filesystem::file_time_type::clock::now() - hours);
  };
  age("outpost-00000000000000000000000000000001", std::chrono::hours(40 * 24));
  age("outpost-00000000000000000000000000000002", std::chrono::hours(24));
  age(".new-abandoned", std::chrono::hours(24));
  // Ages are counted from the last time that leftovers were looked for.
  const std::string state = user().home + "/.local/state/yonder";
  make_users_directory(state);
  write_users_file(state + "/collected", "");
  std::filesystem::last_write_time(
      state + "/collected", std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  expect_works();
  EXPECT_TRUE(lab::eventually([&] { return names_in(cache()).size() == 2; }));
  EXPECT_THAT(outposts_in(cache()), Contains("outpost-00000000000000000000000000000002"));
}

TEST_F(Deploy, ByManyClientsAtOnceLeavesOneProgram) {
  use();
  std::vector<std::unique_ptr<McpClient>> agents;
  for (int i = 0; i < 4; ++i) agents.push_back(new_agent());
  std::vector<int> calls;
  for (auto& agent : agents) {
    calls.push_back(
        agent->call_async("exec_bash", exec_arguments("echo in", {{"sandbox_name", "far"}})));
  }
  for (std::size_t i = 0; i < agents.size(); ++i) {
    EXPECT_EQ(content_of(agents[i]->wait(calls[i]))["stdout"], "in\n");
  }
  EXPECT_THAT(names_in(cache()), SizeIs(1));
}

TEST_F(Deploy, FollowsTheCacheDirectoryOfTheUser) {
  const std::string base = new_open_directory();
  use({.config = {"SetEnv \"XDG_CACHE_HOME=" + base + "/link\""}});
  make_users_directory(base + "/real");
  ASSERT_EQ(::symlink((base + "/real").c_str(), (base + "/link").c_str()), 0);
  expect_works();
  EXPECT_THAT(outposts_in(base + "/real/yonder"), SizeIs(1));
  EXPECT_FALSE(path_exists(cache()));
}

TEST_F(Deploy, DoesNotTrustADirectoryThatOthersCanReach) {
  const std::string base = new_open_directory();
  use({.config = {"SetEnv XDG_CACHE_HOME=" + base}});
  make_users_directory(base + "/elsewhere");
  ASSERT_EQ(::symlink((base + "/elsewhere").c_str(), (base + "/yonder").c_str()), 0);
  make_users_directory(cache(), 0777);
  expect_works();
  EXPECT_THAT(names_in(base + "/elsewhere"), IsEmpty());
  EXPECT_THAT(names_in(cache()), IsEmpty());
  EXPECT_THAT(outposts_in(var_tmp()), SizeIs(1));
}

TEST_F(Deploy, SaysWhenThereIsNoOutpostForTheMachine) {
  const std::string programs = new_open_directory();
  use({.config = {"SetEnv PATH=" + programs + ":/usr/bin:/bin"}});
  ASSERT_TRUE(write_file_atomically(programs + "/uname",
                                    "#!/bin/sh\n[ \"$1\" = -m ] && echo riscv64 || echo Linux\n",
                                    Durability::Process));
  ASSERT_EQ(::chmod((programs + "/uname").c_str(), 0755), 0);
  const Json error = bash_error("true", {{"sandbox_name", "far"}});
  EXPECT_EQ(error["code"], "unsupported") << error;
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("riscv64"));
}

TEST_F(Deploy, NeedsNoGzipOnTheFarSide) {
  use({.hide_programs = {"gzip", "bash", "tmux", "python3*", "perl*"}}, lab().user("nobash").shell);
  expect_works();
  EXPECT_EQ(bash("echo \"$0\"", {{"sandbox_name", "far"}})["stdout"], "/bin/sh\n");
  EXPECT_EQ(bash("-x; echo $?", {{"sandbox_name", "far"}})["stdout"], "127\n");
}

TEST_F(Deploy, NeedsNoHeadOnTheFarSide) {
  use({.hide_programs = {"head"}});
  expect_works();
}

}  // namespace
}  // namespace yonder::e2e
