// `yonder exec` at a terminal where ssh has questions too: what is typed reaches the one it is for.
#include "e2e/auth_fixture.h"
#include "e2e/yonder_at_terminal.h"

namespace yonder::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kCtrlD = "\x04";

class ExecAtTerminal : public AuthTest {
 protected:
  void SetUp() override {
    AuthTest::SetUp();
    got_ = new_open_directory() + "/got";
  }
  // As people type: one key after the other.
  static void type_slowly(YonderAtTerminal& terminal, std::string_view keys) {
    for (const char key : keys) terminal.type(std::string_view(&key, 1));
  }
  std::vector<std::string> keeping_its_input() const {
    return {"exec", "box", "--", "echo listening; cat > " + got_};
  }
  // The command has exactly what was typed once it ran.
  void expect_only_hello(YonderAtTerminal& exec) {
    ASSERT_TRUE(exec.shows("listening")) << exec.screen();
    exec.type("hello\n");
    exec.type(kCtrlD);
    EXPECT_EQ(exec.finish().code, 0) << exec.screen();
    EXPECT_EQ(file_text(got_), "hello\n");
  }

  std::string got_;
};

TEST_F(ExecAtTerminal, NoCharacterOfAPasswordIsInTheCommandsInput) {
  const lab::Sshd sshd = start_sshd();
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  YonderAtTerminal exec(keeping_its_input(), environment());
  ASSERT_TRUE(exec.shows("alice@127.0.0.1's password: ")) << exec.screen();
  type_slowly(exec, "alice-pw\n");
  expect_only_hello(exec);
  EXPECT_THAT(exec.screen(), Not(HasSubstr("alice-pw")));
}

TEST_F(ExecAtTerminal, AHostKeysYesReachesTheQuestion) {
  const lab::Sshd sshd = start_sshd();
  lab::SshHost unknown = host("box", sshd);
  unknown.host_key.clear();
  unknown.extra = {"StrictHostKeyChecking ask"};
  write_hosts({unknown});
  YonderAtTerminal exec(keeping_its_input(), environment());
  ASSERT_TRUE(exec.shows("(yes/no")) << exec.screen();
  type_slowly(exec, "yes\n");
  expect_only_hello(exec);
}

TEST_F(ExecAtTerminal, EndsWhenTheQuestionIsGivenUp) {
  const lab::Sshd sshd = start_sshd();
  lab::SshHost without_key = host("box", sshd);
  without_key.identity_file.clear();
  write_hosts({without_key});
  YonderAtTerminal exec(keeping_its_input(), environment());
  ASSERT_TRUE(exec.shows("alice@127.0.0.1's password: ")) << exec.screen();
  exec.type("\x03");
  EXPECT_EQ(exec.finish().code, 255) << exec.screen();
}

}  // namespace
}  // namespace yonder::e2e
