#include "link/connect_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "link/link_pool.h"

namespace yonder::link {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

SandboxSpec spec() {
  SandboxSpec spec;
  spec.name = "gpu 1";
  return spec;
}

TEST(ExplainFailure, KnowsWhatSshSays) {
  struct Row {
    const char* said;
    Errc code;
    const char* hint;
  };
  for (const auto& [said, code, hint] :
       {Row{"u@h: Permission denied (publickey).\r\n", Errc::AuthNeeded, "yonder login 'gpu 1'"},
        Row{"Received disconnect: 2: Too many authentication failures", Errc::AuthNeeded,
            "key_file"},
        Row{"No supported authentication methods available", Errc::AuthNeeded, "yonder login"},
        Row{"@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\nHost key verification failed.",
            Errc::HostKey, "ssh-keygen -R"},
        Row{"Host key verification failed.", Errc::HostKey, "accept it: yonder login"},
        Row{"ssh: Could not resolve hostname h: Name or service not known", Errc::Unreachable,
            "host's name"},
        Row{"ssh: connect to host h port 22: Connection refused", Errc::Unreachable, "sshd"},
        Row{"ssh: connect to host h port 22: Connection timed out", Errc::Unreachable, "up"},
        Row{"kex_exchange_identification: read: Connection reset by peer", Errc::Unreachable,
            "yonder doctor 'gpu 1'"}}) {
    const auto error = explain_failure(spec(), said, "");
    EXPECT_EQ(error.code, code) << said;
    EXPECT_THAT(error.hint, HasSubstr(hint)) << said;
    EXPECT_THAT(error.message, HasSubstr("cannot connect to 'gpu 1': "));
  }
}

TEST(ExplainFailure, ShowsAChangedHostKeysWarningWholeAndLineByLine) {
  std::string said = "@@@@\n@ WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED! @\n@@@@\n";
  for (int i = 0; i < 20; ++i) said += concat("line ", i, " of what ssh says about the key\r\n");
  said += "Offending ED25519 key in /home/me/.ssh/known_hosts:7\nHost key verification failed.\n";
  const auto error = explain_failure(spec(), said, "");
  EXPECT_EQ(error.code, Errc::HostKey);
  EXPECT_THAT(error.message, HasSubstr("'gpu 1': ssh said:\n  | @@@@\n  | @ WARNING: REMOTE HOST"));
  EXPECT_THAT(error.message, HasSubstr("\n  | line 0 of what ssh says about the key\n  | line 1 "));
  EXPECT_THAT(error.message, HasSubstr("known_hosts:7\n  | Host key verification failed."));
}

TEST(AddMissingAgent, SaysThatNoAgentWasThereToAsk) {
  const Error refused{Errc::AuthNeeded, "m", "log in: yonder login box"};
  EXPECT_THAT(add_missing_agent(refused, {"HOME=/h"}).hint, HasSubstr("SSH_AUTH_SOCK is not set"));
  EXPECT_THAT(add_missing_agent(refused, {"SSH_AUTH_SOCK="}).hint, HasSubstr("SSH_AUTH_SOCK"));
  EXPECT_EQ(add_missing_agent(refused, {"SSH_AUTH_SOCK=/s"}).hint, refused.hint);
  EXPECT_EQ(add_missing_agent({Errc::Unreachable, "m", "h"}, {}).hint, "h");
}

TEST(ExplainFailure, ShowsTheLastWordsAndNoEscapeCodes) {
  const auto error =
      explain_failure(spec(), std::string(5000, 'b') + "\n\x1b[31mthe reason\x1b[0m\n", "noise");
  EXPECT_THAT(error.message, HasSubstr("the reason'"));
  EXPECT_THAT(error.message, HasSubstr("ssh said: '"));
  EXPECT_THAT(error.message, Not(HasSubstr("\x1b")));
  EXPECT_LT(error.message.size(), 700U);
}

TEST(ExplainFailure, FallsBackToTheNoiseAndThenToSilence) {
  EXPECT_THAT(explain_failure(spec(), "  \n", "This account is not available\n").message,
              HasSubstr("This account is not available"));
  EXPECT_THAT(explain_failure(spec(), "", "").message, HasSubstr("without a word"));
}

TEST(PauseAfter, GrowsUpToALimitAndIsHalfChance) {
  using std::chrono::milliseconds;
  EXPECT_EQ(pause_after(1, 0), milliseconds(125));
  EXPECT_EQ(pause_after(1, 1), milliseconds(250));
  EXPECT_EQ(pause_after(2, 1), milliseconds(500));
  EXPECT_EQ(pause_after(0, 1), milliseconds(250));
  EXPECT_EQ(pause_after(100000, 1), milliseconds(20000));
  for (int n = 1; n < 50; ++n) EXPECT_LE(pause_after(n, 0.3), pause_after(n + 1, 0.3));
}

}  // namespace
}  // namespace yonder::link
