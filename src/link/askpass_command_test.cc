#include "link/askpass_command.h"

#include <gtest/gtest.h>

#include "base/patience_test.h"
#include "base/thread.h"

namespace yonder::link {
namespace {

const std::vector<std::string> kEnvironment{"PATH=/usr/bin:/bin"};

Patience some_patience() {
  return {.deadline = testing::patience()};
}

std::string output_of(const std::string& command) {
  const auto secret = run_password_command(command, kEnvironment, some_patience());
  return secret ? secret->reveal() : "error: " + secret.error().message;
}

TEST(PasswordCommand, GivesTheFirstLine) {
  EXPECT_EQ(output_of("echo one; echo two"), "one");
  EXPECT_EQ(output_of("printf 'no end'"), "no end");
  EXPECT_EQ(output_of("printf ' spaces stay \\r\\n'"), " spaces stay ");
  EXPECT_EQ(output_of("echo noise >&2; echo word"), "word");
}

TEST(PasswordCommand, NamesTheFailureButNothingThatWasPrinted) {
  EXPECT_EQ(output_of("echo secret; echo secret >&2; exit 3"),
            "error: password_command ended with code 3");
  EXPECT_EQ(output_of("kill -9 $$"), "error: password_command was ended by signal 9");
  EXPECT_EQ(output_of("true"), "error: password_command printed nothing");
  EXPECT_EQ(output_of("echo; echo second"), "error: password_command printed nothing");
  EXPECT_EQ(output_of("yes"), "error: password_command printed too much");
}

TEST(PasswordCommand, EndsAtItsDeadlineWithEverythingItStarted) {
  const auto secret =
      run_password_command("sleep 1000 & sleep 1000", kEnvironment,
                           {.deadline = Deadline::after(std::chrono::milliseconds(50))});
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message, "password_command did not end in time");
}

TEST(PasswordCommand, EndsWhenNobodyNeedsItAnyMore) {
  const CancelSource source;
  const Thread canceller("cancel", [&] { source.cancel(); });
  const auto secret = run_password_command("sleep 1000", kEnvironment, {.cancel = source.token()});
  ASSERT_FALSE(secret);
  EXPECT_EQ(secret.error().message, "password_command is not needed any more");
}

TEST(PasswordCommand, DoesNotSeeOurSecrets) {
  const auto secret =
      run_password_command("env | sort | tr '\\n' ' '",
                           {"PATH=/usr/bin:/bin", "REMOTE_PASSWORD=a", "REMOTE_KEY_PASSPHRASE=b",
                            "REMOTE_SANDBOX_LIST=c", "YONDER_ASKPASS_TOKEN=d", "REMOTE_HOST=h"},
                           some_patience());
  ASSERT_TRUE(secret);
  EXPECT_NE(secret->reveal().find("REMOTE_HOST=h"), std::string::npos);
  for (const auto* name : {"REMOTE_PASSWORD", "PASSPHRASE", "SANDBOX_LIST", "TOKEN"}) {
    EXPECT_EQ(secret->reveal().find(name), std::string::npos) << name;
  }
}

}  // namespace
}  // namespace yonder::link
