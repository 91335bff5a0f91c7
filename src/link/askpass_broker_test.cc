#include "link/askpass_broker.h"

#include <gtest/gtest.h>
#include <signal.h>

#include "link/askpass_testing.h"

namespace yonder::link {
namespace {

using askpass_testing::answered;
using askpass_testing::ask;
using askpass_testing::box;
using askpass_testing::box_with_password;
using askpass_testing::end_of;
using askpass_testing::kPasswordPrompt;
using askpass_testing::kRefused;
using askpass_testing::kSoon;
using askpass_testing::ScriptedPerson;
using askpass_testing::start_helper;

using State = ScriptedPerson::State;

class AskpassBrokerTest : public askpass_testing::BrokerTest {};

TEST_F(AskpassBrokerTest, GivesTheConfiguredPasswordOnceAndThenRefuses) {
  const auto broker = open();
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  EXPECT_FALSE(attempt->answered_from_settings());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
  EXPECT_TRUE(attempt->answered_from_settings());
  EXPECT_EQ(attempt->refused(), std::nullopt);

  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
  EXPECT_EQ(refusals_.count(), 1);
  ASSERT_TRUE(attempt->refused());
  EXPECT_EQ(attempt->refused()->kind, QuestionKind::Password);
  EXPECT_EQ(attempt->refused()->prompt, kPasswordPrompt);
}

TEST_F(AskpassBrokerTest, RefusesEverythingAfterARefusalButSaysSoOnce) {
  const auto broker = open();
  SandboxSpec spec = box_with_password();
  spec.key_passphrase = Secret("open");
  const auto attempt = broker->begin(spec, refusals_.counter());
  EXPECT_EQ(ask(*attempt, "Verification code: "), kRefused);
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
  EXPECT_EQ(ask(*attempt, "Enter passphrase for key '/k': "), kRefused);
  EXPECT_EQ(refusals_.count(), 1);
  EXPECT_EQ(attempt->refused()->kind, QuestionKind::OneTimeCode);
  EXPECT_FALSE(attempt->answered_from_settings());
}

TEST_F(AskpassBrokerTest, KeepsThePassphraseFromAnotherKey) {
  const auto broker = open();
  SandboxSpec spec = box();
  spec.key_file = "/k";
  spec.key_passphrase = Secret("open");
  const auto attempt = broker->begin(spec, refusals_.counter());
  EXPECT_EQ(ask(*attempt, "Enter passphrase for key '/other': "), kRefused);
  EXPECT_FALSE(attempt->answered_from_settings());
}

TEST_F(AskpassBrokerTest, GivesThePassphraseForAKey) {
  const auto broker = open();
  SandboxSpec spec = box();
  spec.key_file = "/k";
  spec.key_passphrase = Secret("with spaces and 'quotes'");
  const auto attempt = broker->begin(spec, refusals_.counter());
  EXPECT_EQ(ask(*attempt, "Enter passphrase for key '/k': "), answered("with spaces and 'quotes'"));
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassBrokerTest, StartsEveryAttemptAfresh) {
  const auto broker = open();
  for (int i = 0; i < 3; ++i) {
    const auto attempt = broker->begin(box_with_password(), refusals_.counter());
    EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
  }
}

TEST_F(AskpassBrokerTest, RefusesTheTokenOfAnAttemptThatHasEnded) {
  const auto broker = open();
  auto attempt = broker->begin(box_with_password(), refusals_.counter());
  const auto environment = attempt->environment();
  attempt.reset();
  EXPECT_EQ(end_of(start_helper(environment, kPasswordPrompt)), kRefused);
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassBrokerTest, RefusesAWrongTokenWithoutHarmToTheRightOne) {
  const auto broker = open();
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  for (const auto* token : {"", "x", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"}) {
    const auto environment =
        with_askpass(attempt->environment(), {concat("YONDER_ASKPASS_TOKEN=", token)});
    EXPECT_EQ(end_of(start_helper(environment, kPasswordPrompt)), kRefused);
  }
  EXPECT_EQ(attempt->refused(), std::nullopt);
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
}

TEST_F(AskpassBrokerTest, DoesNotAnswerAQuestionTooLongToSeeWhole) {
  const auto broker = open();
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  EXPECT_EQ(ask(*attempt, std::string(100000, 'a') + "@host's password: "), kRefused);
  EXPECT_EQ(refusals_.count(), 1);
  EXPECT_EQ(attempt->refused()->kind, QuestionKind::Unknown);
  EXPECT_LT(attempt->refused()->prompt.size(), 16384U);
}

TEST_F(AskpassBrokerTest, PassesOnWhatThePersonTypesForWhatOnlyTheyKnow) {
  ScriptedPerson person({"123456", "yes", ""});
  const auto broker = open(&person);
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  EXPECT_EQ(ask(*attempt, "(a@h) One-time password (OATH) for `a': "), answered("123456"));
  EXPECT_EQ(ask(*attempt, "Are you sure you want to continue connecting (yes/no)? "),
            answered("yes"));
  EXPECT_EQ(ask(*attempt, "Allow use of key k?", "confirm"), answered("no"));
  EXPECT_EQ(person.state().asked.size(), 3U);
  EXPECT_FALSE(attempt->answered_from_settings());
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassBrokerTest, AsksThePersonWhenTheConfiguredPasswordWasWrong) {
  ScriptedPerson person({"typed"});
  const auto broker = open(&person);
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("typed"));
}

TEST_F(AskpassBrokerTest, RefusesWhenThePersonDoes) {
  ScriptedPerson person({std::nullopt});
  const auto broker = open(&person);
  const auto attempt = broker->begin(box(), refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
  EXPECT_EQ(refusals_.count(), 1);
}

TEST_F(AskpassBrokerTest, StopsAfterSixAnswers) {
  ScriptedPerson person({"1", "2", "3", "4", "5", "6", "7"});
  const auto broker = open(&person);
  const auto attempt = broker->begin(box(), refusals_.counter());
  for (int i = 1; i <= 6; ++i) {
    EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered(std::to_string(i)));
  }
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
  EXPECT_EQ(person.state().asked.size(), 6U);
  EXPECT_EQ(refusals_.count(), 1);
}

TEST_F(AskpassBrokerTest, ShowsANoticeAndKeepsTheHelperUntilItIsEnded) {
  ScriptedPerson person;
  const auto broker = open(&person);
  const auto attempt = broker->begin(box_with_password(), refusals_.counter());
  auto helper = start_helper(attempt->environment(), "Confirm user presence for key", "none");
  ASSERT_TRUE(helper);
  ASSERT_TRUE(person.wait_until([](const State& state) { return state.told.size() == 1; }));
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("sesame"));
  EXPECT_FALSE(helper->wait(Deadline::after(std::chrono::milliseconds(20))));
  helper->signal(SIGTERM);
  const auto status = helper->wait(Deadline::after(kSoon));
  ASSERT_TRUE(status);
  EXPECT_TRUE(status->signaled);
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassBrokerTest, EndsTheHelperOfANoticeWithTheAttempt) {
  ScriptedPerson person;
  const auto broker = open(&person);
  auto attempt = broker->begin(box(), refusals_.counter());
  auto helper = start_helper(attempt->environment(), "touch it", "none");
  ASSERT_TRUE(person.wait_until([](const State& state) { return state.told.size() == 1; }));
  attempt.reset();
  EXPECT_EQ(end_of(std::move(helper)), kRefused);
  EXPECT_EQ(refusals_.count(), 0);
}

TEST_F(AskpassBrokerTest, TakesThePasswordFromTheCommandsFirstLine) {
  const auto broker = open();
  SandboxSpec spec = box();
  spec.password_command = "printf 'from command\\nmore\\n'";
  const auto attempt = broker->begin(spec, refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("from command"));
  EXPECT_TRUE(attempt->answered_from_settings());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
}

TEST_F(AskpassBrokerTest, AsksThePersonWhenTheCommandFails) {
  ScriptedPerson person({"typed"});
  const auto broker = open(&person);
  SandboxSpec spec = box();
  spec.password_command = "echo wrong; exit 3";
  const auto attempt = broker->begin(spec, refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), answered("typed"));
  EXPECT_FALSE(attempt->answered_from_settings());
}

TEST_F(AskpassBrokerTest, RefusesWhenTheCommandFailsAndNobodyIsThere) {
  const auto broker = open();
  SandboxSpec spec = box();
  spec.password_command = "exit 3";
  const auto attempt = broker->begin(spec, refusals_.counter());
  EXPECT_EQ(ask(*attempt, kPasswordPrompt), kRefused);
  EXPECT_EQ(refusals_.count(), 1);
}

}  // namespace
}  // namespace yonder::link
