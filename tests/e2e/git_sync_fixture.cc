#include "e2e/git_sync_fixture.h"

#include <filesystem>

#include "base/file.h"
#include "base/quote.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

constexpr const char* kIdentity = "-c user.name=Far -c user.email=far@example.org";

}  // namespace

void GitSync::SetUp() {
  EndToEnd::SetUp();
  user_ = new_user();
  sshd_.emplace(start_sshd());
  write_hosts({host("box", *sshd_, user_->name)});
  files_agent_ = new_agent({"YONDER_TOOLSETS=core,files"});
  here_ = new_open_directory() + "/repo";
  ASSERT_TRUE(make_directory(here_));
  far_ = user_->home + "/checkout";
  git({"init", "-q", "-b", "main"});
  commit("a", "one\n");
}

std::string GitSync::git(const std::vector<std::string>& arguments) {
  std::vector<std::string> argv{
      "git", "-C", here_, "-c", "user.name=Here", "-c", "user.email=here@example.org"};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const auto done =
      run_captured({.argv = argv, .environment = environment()}, "", 1U << 20, patience());
  if (!done || !done->status.success()) {
    ADD_FAILURE() << shell_line(argv) << ": " << (done ? done->err : done.error().message);
    return "";
  }
  return std::string(trim(done->out));
}

void GitSync::write_here(const std::string& file, const std::string& content) {
  const auto path = std::filesystem::path(here_) / file;
  std::filesystem::create_directories(path.parent_path());
  ASSERT_TRUE(write_file_atomically(path.string(), content, Durability::Process));
}

std::string GitSync::commit(const std::string& file, const std::string& content) {
  write_here(file, content);
  git({"add", "--", file});
  git({"commit", "-q", "-m", "set " + file});
  return head();
}

std::string GitSync::there(const std::string& line) {
  const Captured done = run_yonder({"exec", "-n", "box", "--cwd", far_, "--", line}, environment());
  EXPECT_EQ(done.status.code, 0) << line << ": " << done.err;
  return std::string(trim(done.out));
}

std::string GitSync::own_commit_there(const std::string& file) {
  return there(concat("echo own > ", shell_quote(file), " && git add . && git ", kIdentity,
                      " commit -q -m 'own work' && git rev-parse HEAD"));
}

Json GitSync::arguments(const Json& more) const {
  Json all{{"sandbox_name", "box"}, {"remote_path", far_}, {"local_path", here_}};
  all.update(more);
  return all;
}

Json GitSync::sync(const Json& more) {
  return content_of(files_agent_->call("git_sync", arguments(more)));
}

Json GitSync::refused(const Json& more) {
  return error_of(files_agent_->call("git_sync", arguments(more)));
}

std::size_t GitSync::runs_there() {
  std::size_t runs = 0;
  const std::string directory = user_->home + "/.local/state/yonder/runs";
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    if (entry.path().filename().string().starts_with("r-")) ++runs;
  }
  return runs;
}

}  // namespace yonder::e2e
