#include <sys/stat.h>

#include "base/file.h"
#include "e2e/background_fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The tool set `remote-ssh`, on a machine that SSH_HOST names.
class RemoteSsh : public Background {
 protected:
  void SetUp() override {
    Background::SetUp();
    sshd_.emplace(start_sshd());
    write_hosts({host("gpu", *sshd_)});
    remote_ = new_remote();
  }
  std::unique_ptr<McpClient> new_remote() {
    return new_agent({"SSH_HOST=gpu", "YONDER_TOOLSETS=remote-ssh"});
  }
  Json call(const char* tool, const Json& arguments) {
    return content_of(remote_->call(tool, arguments));
  }
  std::optional<lab::Sshd> sshd_;
  std::unique_ptr<McpClient> remote_;
};

TEST_F(RemoteSsh, R03_ExitCodesAndErrorsAreVisible) {
  const Json done =
      call("remote_bash", {{"command", "echo out; echo err >&2; exit 3"}, {"description", "try"}});
  EXPECT_EQ(done["exit_code"], 3);
  EXPECT_EQ(done["output"], "out\nerr\n");
}

TEST_F(RemoteSsh, R04_ATimeOutStopsTheCommandOverThereAndKeepsWhatItPrinted) {
  const std::string marker = new_marker();
  Json done;
  // A limit that comes before the first word shows nothing: then it gets more time.
  for (int limit_ms = 400; done["output"] != "begun\n"; limit_ms *= 2) {
    ASSERT_LT(limit_ms, 100000) << done;
    done = call("remote_bash",
                {{"command", "echo begun; MARK=" + marker + " sleep 1000"}, {"timeout", limit_ms}});
    EXPECT_EQ(done["timed_out"], true);
    EXPECT_TRUE(lab::eventually([&] { return lab::processes_matching("MARK=" + marker).empty(); }));
  }
}

TEST_F(RemoteSsh, R05_BackgroundJobsSurviveARestartAndShowOnlyWhatIsNew) {
  const std::string directory = new_open_directory();
  const Json started =
      call("remote_bash", {{"command", "cd " + directory +
                                           "; echo one; while [ ! -e go ]; do sleep 0.05; "
                                           "done; echo two; exit 5"},
                           {"run_in_background", true}});
  const Json id{{"bash_id", started["bash_id"]}};
  std::string seen;
  ASSERT_TRUE(lab::eventually([&] {
    seen += call("remote_bash_output", id)["output"].get<std::string>();
    return !seen.empty();
  }));
  EXPECT_EQ(seen, "one\n");
  remote_->crash();
  remote_ = new_remote();
  // The last answer may not have arrived before the crash: it is given again, and only that.
  EXPECT_EQ(call("remote_bash_output", id)["output"], "one\n");
  EXPECT_EQ(call("remote_bash_output", id)["output"], "");
  ASSERT_TRUE(write_file_atomically(directory + "/go", "", Durability::Process));
  Json last;
  std::string rest;
  ASSERT_TRUE(lab::eventually([&] {
    last = call("remote_bash_output", id);
    rest += last["output"].get<std::string>();
    return last["state"] == "exited";
  }));
  rest += call("remote_bash_output", id)["output"].get<std::string>();
  EXPECT_EQ(rest, "two\nEXIT_CODE=5\n");
  EXPECT_EQ(last["exit_code"], 5);
  Json all = id;
  all["all"] = true;
  EXPECT_EQ(call("remote_bash_output", all)["output"], "one\ntwo\nEXIT_CODE=5\n");
  Json filtered = all;
  filtered["filter"] = "^t";
  EXPECT_EQ(call("remote_bash_output", filtered)["output"], "two\n");
}

TEST_F(RemoteSsh, R06_FilesAreReadByTheirRealNamesAndLineNumbers) {
  const std::string directory = new_open_directory();
  const std::string name = directory + "/$(touch pwned) \"q\" `x` 'y'.txt";
  ASSERT_TRUE(write_file_atomically(name, "a\nb\nc\nd\n", Durability::Process));
  ASSERT_EQ(::chmod(name.c_str(), 0644), 0);
  EXPECT_EQ(call("remote_file_read", {{"file_path", name}})["content"],
            "     1\ta\n     2\tb\n     3\tc\n     4\td\n");
  EXPECT_EQ(call("remote_file_read", {{"file_path", name}, {"offset", 3}, {"limit", 1}})["content"],
            "     3\tc\n");
  EXPECT_FALSE(path_exists(directory + "/pwned"));
  const auto missing = remote_->call("remote_file_read", {{"file_path", directory + "/none"}});
  EXPECT_TRUE(missing.is_error);
  for (const char* zero : {"offset", "limit"}) {
    const auto refused = remote_->call("remote_file_read", {{"file_path", name}, {zero, 0}});
    EXPECT_THAT(error_of(refused)["message"].get<std::string>(), StartsWith(zero));
  }
}

TEST_F(RemoteSsh, LongFilesAreCutAtTheEndOfALineAndNumberedRight) {
  const std::string name = new_open_directory() + "/long.txt";
  std::string text;
  for (int i = 1; i <= 2000; ++i) text += concat("line ", i, std::string(300, '.'), "\r\n");
  ASSERT_TRUE(write_file_atomically(name, text, Durability::Process));
  ASSERT_EQ(::chmod(name.c_str(), 0644), 0);
  const Json first = call("remote_file_read", {{"file_path", name}});
  EXPECT_EQ(first["truncated"], true);
  const auto next = first["next_offset"].get<int>();
  const Json second =
      call("remote_file_read", {{"file_path", name}, {"offset", next}, {"limit", 1}});
  EXPECT_EQ(second["content"], concat("  ", next, "\tline ", next, std::string(300, '.'), "\r\n"));
}

TEST_F(RemoteSsh, TheErrorsOfACommandThatOutlivedItsCallAreShown) {
  const auto full = new_agent({"SSH_HOST=gpu"});
  const Json waiting = content_of(
      full->call("exec_bash", {{"command", "echo out; echo why >&2; exit 7"}, {"wait_s", 0}}));
  Json seen;
  ASSERT_TRUE(lab::eventually([&] {
    seen = call("remote_bash_output", {{"bash_id", waiting["run_id"]}});
    return seen["state"] == "exited";
  }));
  EXPECT_EQ(seen["output"], "out\nwhy\n");
  EXPECT_EQ(seen["exit_code"], 7);
}

TEST_F(RemoteSsh, R07_TextIsNotBrokenWhereItWasCutOnTheWay) {
  const Json done =
      call("remote_bash", {{"command", "for i in $(seq 1 3000); do printf 'äöü€'; done"}});
  std::string expected;
  for (int i = 0; i < 3000; ++i) expected += "äöü€";
  EXPECT_EQ(done["exit_code"], 0);
  EXPECT_EQ(done["output"].get<std::string>().find("\xEF\xBF\xBD"), std::string::npos);
}

TEST_F(RemoteSsh, UnknownJobsAreErrors) {
  const auto reply = remote_->call("remote_bash_output", {{"bash_id", "remote-1"}});
  EXPECT_TRUE(reply.is_error);
  EXPECT_THAT(error_of(reply)["message"].get<std::string>(), HasSubstr("remote-1"));
}

}  // namespace
}  // namespace yonder::e2e
