#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/quote.h"
#include "e2e/fixture.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kMiB = 1024UL * 1024;

class ExecInput : public EndToEnd {};

TEST_F(ExecInput, IsClosedUnlessGiven) {
  const Json done = bash("cat; echo read nothing");
  EXPECT_EQ(done["stdout"], "read nothing\n");
}

TEST_F(ExecInput, ReachesTheCommandWhole) {
  EXPECT_EQ(bash("cat", {{"stdin", "two\nlines"}})["stdout"], "two\nlines");
  EXPECT_EQ(bash("wc -c", {{"stdin", ""}})["stdout"], "0\n");
  EXPECT_EQ(bash("wc -c", {{"stdin", std::string(4 * kMiB, 'x')}})["stdout"], "4194304\n");
}

TEST_F(ExecInput, HasALimitThatIsSaid) {
  const Json error = bash_error("wc -c", {{"stdin", std::string(4 * kMiB + 1, 'x')}});
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("4 MiB"));
}

TEST_F(ExecInput, DoesNotMatterToACommandThatDoesNotRead) {
  const Json done = bash("echo quick", {{"stdin", std::string(2 * kMiB, 'x')}});
  EXPECT_EQ(done["stdout"], "quick\n");
  EXPECT_EQ(done["exit_code"], 0);
}

class ExecEnvironment : public EndToEnd {};

TEST_F(ExecEnvironment, CarriesEveryValueUnchanged) {
  const std::string value = "line one\nline 'two' \"three\" $HOME `id` \\ \t end";
  const Json done = bash("printf %s \"$GIVEN\"; printf '|%s|' \"$EMPTY\"",
                         {{"env", {{"GIVEN", value}, {"EMPTY", ""}}}});
  EXPECT_EQ(done["stdout"], value + "||");
  const Json large =
      bash("printf %s \"$LARGE\" | wc -c", {{"env", {{"LARGE", std::string(100000, 'v')}}}});
  EXPECT_EQ(large["stdout"], "100000\n");
}

TEST_F(ExecEnvironment, RefusesWhatIsNoName) {
  const std::string proof = new_open_directory() + "/ran";
  for (const char* name : {"A-B", "", "1A", "A=B", "A B", "A\nB"}) {
    const Json error = bash_error("touch " + proof, {{"env", {{name, "x"}}}});
    EXPECT_EQ(error["code"], "invalid_argument") << name;
  }
  EXPECT_FALSE(path_exists(proof));
}

class ExecDirectory : public EndToEnd {
 protected:
  // Where the command was, or "" when it was refused and, as promised, did not run.
  std::string where(const std::string& cwd, const Json& more = Json::object()) {
    const std::string proof = new_open_directory() + "/ran";
    Json arguments = exec_arguments("touch " + shell_quote(proof) + "; pwd", {{"cwd", cwd}});
    arguments.update(more);
    const Reply reply = agent().call("exec_bash", arguments);
    EXPECT_TRUE(reply.arrived);
    EXPECT_EQ(path_exists(proof), !reply.is_error);
    if (!reply.is_error) return reply.content["stdout"];
    EXPECT_EQ(reply.content["error"]["code"], "invalid_argument") << reply.content;
    return "";
  }
};

TEST_F(ExecDirectory, MayHaveAnyName) {
  const std::string base = new_open_directory();
  for (const char* name : {"with space", "it's \"quoted\"", "new\nline", "-leading", "$(touch x)",
                           "~tilde", "gr\u00fcn", "back\\slash"}) {
    const std::string path = concat(base, "/", name);
    ASSERT_TRUE(make_directory(path));
    EXPECT_EQ(where(path), path + "\n");
  }
}

TEST_F(ExecDirectory, IsFoundFromHome) {
  const std::string home = lab().client_home();
  ASSERT_TRUE(make_directories(home + "/proj/deep"));
  ASSERT_TRUE(make_directories(home + "/-dash"));
  EXPECT_EQ(where("~"), home + "\n");
  EXPECT_EQ(where("~/proj"), home + "/proj\n");
  EXPECT_EQ(where("proj/deep"), home + "/proj/deep\n");
  EXPECT_EQ(where("-dash"), home + "/-dash\n");
  EXPECT_EQ(where(""), home + "\n");
}

TEST_F(ExecDirectory, IsRefusedBeforeAnythingRuns) {
  const std::string base = new_open_directory();
  ASSERT_TRUE(write_file_atomically(base + "/file", "", Durability::Process));
  EXPECT_EQ(where(base + "/missing"), "");
  EXPECT_EQ(where(base + "/file"), "");
  EXPECT_EQ(where("~root/x"), "");
  EXPECT_EQ(where("~nobody"), "");
  EXPECT_EQ(where(base + "/" + std::string(5000, 'l')), "");
  const Json error = bash_error("true", {{"cwd", base + "/missing"}});
  EXPECT_THAT(error["message"].get<std::string>(), HasSubstr("/missing"));
}

TEST_F(ExecDirectory, OfAnotherMachineIsLookedForThere) {
  lab::need(lab::Need::Users);
  lab::Sshd sshd = start_sshd();
  write_hosts({host("box", sshd)});
  const std::string home = lab().user("alice").home;
  ASSERT_TRUE(make_directories(home + "/her own"));
  ASSERT_EQ(::chown((home + "/her own").c_str(), lab().user("alice").uid, lab().user("alice").uid),
            0);
  const std::string proof = new_open_directory() + "/ran";
  EXPECT_EQ(bash("pwd", {{"sandbox_name", "box"}, {"cwd", "~/her own"}})["stdout"],
            home + "/her own\n");
  const Json closed =
      bash_error("touch " + proof, {{"sandbox_name", "box"}, {"cwd", lab().client_home()}});
  EXPECT_EQ(closed["code"], "invalid_argument") << closed;
  EXPECT_FALSE(path_exists(proof));
}

class ExecCommand : public EndToEnd {};

TEST_F(ExecCommand, MayBeAMebibyteLong) {
  const std::string tail = "\nprintf '%s' done";
  std::string command = "true ";
  command += std::string(kMiB - command.size() - tail.size(), 'x') + tail;
  ASSERT_EQ(command.size(), kMiB);
  EXPECT_EQ(bash(command)["stdout"], "done");
  const std::string proof = new_open_directory() + "/ran";
  const Json error = bash_error(concat("touch ", proof, "; true ", std::string(kMiB + 8192, 'x')));
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_FALSE(path_exists(proof));
}

TEST_F(ExecCommand, KeepsItsQuotesAndLines) {
  EXPECT_EQ(bash("cat <<'X'\n$HOME `id` \"quoted\" 'single'\nX\n")["stdout"],
            "$HOME `id` \"quoted\" 'single'\n");
  EXPECT_EQ(bash("  echo spaced  ")["stdout"], "spaced\n");
  EXPECT_EQ(bash("-no-such -x; echo $?")["stdout"], "127\n");
}

TEST_F(ExecCommand, MustNotBeEmptyOrHoldUnknownSettings) {
  EXPECT_EQ(bash_error("")["code"], "invalid_argument");
  EXPECT_EQ(bash_error("  \n ")["code"], "invalid_argument");
  const Json error = bash_error("true", {{"timeout", 5}});
  EXPECT_EQ(error["code"], "invalid_argument");
  EXPECT_THAT(dump_json(error), HasSubstr("timeout_s"));
  EXPECT_EQ(bash_error("true", {{"sandbox_name", "nowhere"}})["code"], "not_found");
}

}  // namespace
}  // namespace yonder::e2e
