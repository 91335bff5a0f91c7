#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "base/file.h"
#include "base/id.h"
#include "e2e/auth_fixture.h"
#include "e2e/yonder_at_terminal.h"
#include "e2e/yonder_cli.h"

namespace yonder::e2e {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Key;
using ::testing::Not;

// Two machines that only the environment knows: "box" by password, "keyed" by key. Every program
// that Yonder starts here is stood in for by one that writes down its environment first.
class ChildEnvironments : public AuthTest {
 protected:
  void SetUp() override {
    AuthTest::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    user_ = new_user();
    sshd_.emplace(start_sshd());
    place_ = new_open_directory();
    ASSERT_TRUE(make_directory(place_ + "/bin"));
    // A file of each process: two that start at once must not write into each other's lines.
    ASSERT_TRUE(make_directory(place_ + "/seen"));
    ASSERT_EQ(::chmod((place_ + "/seen").c_str(), 01777), 0);
    for (const char* name : {"ssh", "git"}) stand_in_for(name, concat("/usr/bin/", name));
    stand_in_for("editor", "/bin/true");
    stand_in_for("ask", concat("/bin/echo ", user_->password));
    stand_in_for("here", "/bin/true");
    write_config_toml(concat("[sandbox.asked]\nhost = \"127.0.0.1\"\nport = ", sshd_->port(),
                             "\nuser = \"", user_->name, "\"\nhost_keys = \"accept-new\"\n",
                             "password_command = \"ask\"\n"));
  }

  void TearDown() override {
    for (const auto& id : runs_) {
      lab::kill_and_wait(lab::processes_matching("YONDER_RUN_ID=" + id));
    }
    [[maybe_unused]] const auto ended =
        run_captured({.argv = {"/usr/bin/tmux", "kill-server"}, .environment = settings()}, "",
                     1U << 16, patience());
  }

  std::vector<std::string> settings() const {
    const Json box{{"name", "box"},
                   {"host", "127.0.0.1"},
                   {"port", sshd_->port()},
                   {"user", user_->name},
                   {"password", user_->password}};
    const Json keyed{{"name", "keyed"},     {"host", "127.0.0.1"},    {"port", sshd_->port()},
                     {"user", user_->name}, {"key_file", key().path}, {"key_passphrase", secret_}};
    auto all = environment({"REMOTE_SANDBOX_LIST=" + dump_json(Json::array({box, keyed})),
                            "REMOTE_PASSWORD=" + secret_, "REMOTE_KEY_PASSPHRASE=" + secret_,
                            "SSH_PASSWORD=" + secret_, "EDITOR=editor", "KEPT=yes", "TERM=xterm",
                            "TMUX_TMPDIR=" + place_, "YONDER_TOOLSETS=core,files",
                            "YONDER_INLINE_SYNC_MAX_FILES=0"});
    for (auto& entry : all) {
      if (entry.starts_with("PATH=")) entry.insert(5, place_ + "/bin:");
    }
    return all;
  }

  Captured yonder(const std::vector<std::string>& arguments) const {
    Captured done = run_yonder(arguments, settings());
    EXPECT_EQ(done.status.code, 0) << join(arguments, " ") << ": " << done.err;
    return done;
  }

  std::string run_on(const std::string& machine) {
    const std::string out = yonder({"run", machine, "--", "sleep 1000"}).out;
    runs_.push_back(out.substr(0, out.find('\n')));
    return runs_.back();
  }

  // What each kind of program was given, over all its starts.
  std::map<std::string, std::string> seen() const {
    std::map<std::string, std::string> all;
    std::string kind;
    for (const auto& file : std::filesystem::directory_iterator(place_ + "/seen")) {
      for (const auto& line : split(file_text(file.path()), '\n')) {
        if (line.starts_with("== ")) {
          kind = line.substr(3);
        } else {
          all[kind] += line + "\n";
        }
      }
    }
    return all;
  }

  // Of the server that shows the runs of `local`: an outpost looks for tmux in the usual places
  // first. Empty: there is none.
  std::string tmux_variables() const {
    for (const pid_t pid : lab::processes_matching("TMUX_TMPDIR=" + place_)) {
      const bool server = file_text(concat("/proc/", pid, "/comm")).starts_with("tmux: server");
      if (server) return file_text(concat("/proc/", pid, "/environ"));
    }
    return "";
  }

  // Processes of this test that have it in their environment, of all that live now.
  static std::vector<pid_t> holders_of(const std::string& secret) {
    std::vector<pid_t> holders;
    for (const pid_t pid : lab::processes_matching(secret)) {
      const std::string environ = file_text(concat("/proc/", pid, "/environ"));
      if (environ.find(secret) != std::string::npos) holders.push_back(pid);
    }
    return holders;
  }

  const std::string& password() const { return user_->password; }
  const std::string& secret() const { return secret_; }
  const std::string& place() const { return place_; }
  const lab::Account& user() const { return *user_; }

 private:
  // `ssh` is told apart by its first option: -T a link, -t a terminal, -G and -V a question.
  void stand_in_for(const std::string& name, const std::string& real) const {
    const std::string path = concat(place_, "/bin/", name);
    const std::string text =
        concat("#!/bin/sh\nshow() { tr '\\0' '\\n' </proc/$1/environ; }\n{\n", "case ", name,
               " in ssh) echo \"== ssh $1\";; *) echo '== ", name, "';; esac\nshow $$\n",
               "case \"$(tr '\\0' ' ' </proc/$PPID/cmdline)\" in *transfer-worker*)\n",
               "echo '== transfer-worker'; show $PPID;; esac\n} >>", place_, "/seen/$$\n", "exec ",
               real, name == "ask" || name == "editor" ? "\n" : " \"$@\"\n");
    ASSERT_TRUE(write_file_atomically(path, text, Durability::Process));
    ASSERT_EQ(::chmod(path.c_str(), 0755), 0);
  }

  std::string secret_ = random_letters(16);
  std::string place_;
  std::optional<lab::Account> user_;
  std::optional<lab::Sshd> sshd_;
  std::vector<std::string> runs_;
};

TEST_F(ChildEnvironments, NoProgramThatIsStartedIsGivenASecret) {
  yonder({"exec", "-n", "box", "--", "true"});
  yonder({"exec", "-n", "asked", "--", "true"});
  yonder({"exec", "-n", "local", "--", "here"});
  yonder({"edit", "--sandbox", "keyed", "note"});
  YonderAtTerminal far({"attach", run_on("keyed")}, settings());
  run_on("local");

  const std::string repository = place() + "/repo";
  const auto made = run_captured(
      {.argv = {"sh", "-c",
                concat("git init -q ", repository, " && git -C ", repository,
                       " -c user.name=a -c user.email=a@b commit -q --allow-empty -m begin")},
       .environment = environment()},
      "", 1U << 16, patience());
  ASSERT_TRUE(made && made->status.success());
  yonder({"git-sync", "box", "--local", repository, user().home + "/checkout"});

  ASSERT_TRUE(make_directory(place() + "/tree"));
  ASSERT_TRUE(write_file_atomically(place() + "/tree/f", "f\n", Durability::Process));
  const auto agent = McpClient::start(settings());
  ASSERT_TRUE(agent);
  const Json sent = content_of(
      (*agent)->call("sync_local_to_remote_background", {{"sandbox_name", "box"},
                                                         {"local_path", place() + "/tree"},
                                                         {"remote_path", user().home + "/tree"}}));
  EXPECT_TRUE(lab::eventually([&] { return path_exists(user().home + "/tree/f"); }))
      << "the worker has its secrets another way: " << sent.dump();

  EXPECT_TRUE(lab::eventually([&] { return seen().contains("ssh -t"); }))
      << (far.finish(), far.screen());
  EXPECT_TRUE(lab::eventually([&] { return !tmux_variables().empty(); }));
  auto found = seen();
  found["tmux"] = tmux_variables();
  for (const char* kind :
       {"ssh -T", "ssh -t", "ssh -G", "git", "editor", "ask", "here", "tmux", "transfer-worker"}) {
    EXPECT_THAT(found, Contains(Key(kind)));
  }
  EXPECT_THAT(holders_of(secret()), ElementsAre((*agent)->pid())) << "who was given them";
  for (const auto& [kind, variables] : found) {
    EXPECT_THAT(variables, HasSubstr("KEPT=yes")) << kind;
    EXPECT_THAT(variables, Not(HasSubstr(password()))) << kind;
    EXPECT_THAT(variables, Not(HasSubstr(secret()))) << kind;
  }
}

}  // namespace
}  // namespace yonder::e2e
