#include "link/askpass_policy.h"

#include <gtest/gtest.h>

#include "base/text.h"

namespace yonder::link {
namespace {

Question question(QuestionKind kind, ReplyForm reply = ReplyForm::Text) {
  const bool key = kind == QuestionKind::KeyPassphrase;
  return {.kind = kind,
          .prompt = key ? "Enter passphrase for key '/keys/mine': " : "?",
          .reply = reply};
}

constexpr AnswerSources kAllSettings{
    .password = true, .password_command = true, .key_passphrase = true, .key_file = "/keys/mine"};

AnswerSources and_a_person(AnswerSources sources) {
  sources.person = true;
  return sources;
}

TEST(Decide, TakesThePasswordFromTheSettingsBeforeTheCommandBeforeThePerson) {
  const auto password = question(QuestionKind::Password);
  EXPECT_EQ(decide(password, and_a_person(kAllSettings), {}), Decision::GivePassword);
  EXPECT_EQ(decide(password, {.password_command = true, .person = true}, {}),
            Decision::RunPasswordCommand);
  EXPECT_EQ(decide(password, {.key_passphrase = true, .person = true}, {}), Decision::AskPerson);
  EXPECT_EQ(decide(password, {.key_passphrase = true}, {}), Decision::Refuse);
}

TEST(Decide, GivesThePassphraseOnlyForAKey) {
  const auto passphrase = question(QuestionKind::KeyPassphrase);
  EXPECT_EQ(decide(passphrase, kAllSettings, {}), Decision::GivePassphrase);
  EXPECT_EQ(decide(passphrase, {.password = true, .password_command = true}, {}), Decision::Refuse);
}

TEST(Decide, GivesThePassphraseOnlyForTheKeyThatItOpens) {
  Question other = question(QuestionKind::KeyPassphrase);
  for (const char* key : {"/keys/other", "/keys/mine2", "/keys/min", "keys/mine", ""}) {
    other.prompt = concat("Enter passphrase for key '", key, "': ");
    EXPECT_EQ(decide(other, kAllSettings, {}), Decision::Refuse) << key;
    EXPECT_EQ(decide(other, and_a_person(kAllSettings), {}), Decision::AskPerson) << key;
  }
  AnswerSources sources = kAllSettings;
  sources.key_file = "";  // which key it is for was not said
  EXPECT_EQ(decide(question(QuestionKind::KeyPassphrase), sources, {}), Decision::Refuse);
  const std::string quoted = "/keys/it's mine";
  sources.key_file = quoted;
  other.prompt = concat("Enter passphrase for key '", quoted, "': ");
  EXPECT_EQ(decide(other, sources, {}), Decision::GivePassphrase);
  const std::string path = "/" + std::string(150, 'k');
  sources.key_file = path;
  other.prompt = concat("Enter passphrase for key '", path.substr(0, 100), "': ");
  EXPECT_EQ(decide(other, sources, {}), Decision::GivePassphrase) << "ssh shows 100 bytes";
}

TEST(Decide, LeavesEverythingElseToThePerson) {
  for (const auto kind : {QuestionKind::OneTimeCode, QuestionKind::HostKey,
                          QuestionKind::Confirmation, QuestionKind::Unknown}) {
    EXPECT_EQ(decide(question(kind), kAllSettings, {}), Decision::Refuse);
    EXPECT_EQ(decide(question(kind), and_a_person(kAllSettings), {}), Decision::AskPerson);
  }
}

TEST(Decide, NeverGivesTheSameSecretTwice) {
  const auto password = question(QuestionKind::Password);
  AnswerHistory history = after(Decision::GivePassword, {});
  EXPECT_EQ(decide(password, kAllSettings, history), Decision::Refuse);
  EXPECT_EQ(decide(password, and_a_person(kAllSettings), history), Decision::AskPerson);
  EXPECT_EQ(decide(question(QuestionKind::KeyPassphrase), kAllSettings, history),
            Decision::GivePassphrase);
  history = after(Decision::RunPasswordCommand, {});
  EXPECT_EQ(decide(password, {.password_command = true}, history), Decision::Refuse);
  history = after(Decision::GivePassphrase, {});
  EXPECT_EQ(decide(question(QuestionKind::KeyPassphrase), kAllSettings, history), Decision::Refuse);
}

TEST(Decide, StopsAfterAFewAnswersEvenWithAPerson) {
  AnswerHistory history;
  for (int i = 0; i < kMaxAnswers; ++i) {
    const auto decision = decide(question(QuestionKind::Password), {.person = true}, history);
    EXPECT_EQ(decision, Decision::AskPerson);
    history = after(decision, history);
  }
  EXPECT_EQ(decide(question(QuestionKind::Password), and_a_person(kAllSettings), history),
            Decision::Refuse);
}

TEST(Decide, RefusesEverythingAfterARefusal) {
  const auto history = after(Decision::Refuse, {});
  for (const auto kind : {QuestionKind::Password, QuestionKind::KeyPassphrase,
                          QuestionKind::HostKey, QuestionKind::Unknown}) {
    EXPECT_EQ(decide(question(kind), and_a_person(kAllSettings), history), Decision::Refuse);
  }
}

TEST(Decide, NeitherCountsNorRefusesWhatNeedsNoAnswer) {
  const auto touch = question(QuestionKind::Confirmation, ReplyForm::None);
  EXPECT_EQ(decide(touch, {}, {}), Decision::Tell);
  EXPECT_EQ(after(Decision::Tell, {}).answers, 0);
}

TEST(Decide, DoesNotGiveThePasswordToAJumpHost) {
  AnswerSources sources = kAllSettings;
  sources.other_hop = true;
  EXPECT_EQ(decide(question(QuestionKind::Password), sources, {}), Decision::Refuse);
  EXPECT_EQ(decide(question(QuestionKind::Password), and_a_person(sources), {}),
            Decision::AskPerson);
  EXPECT_EQ(decide(question(QuestionKind::KeyPassphrase), sources, {}), Decision::GivePassphrase);
}

TEST(AsReply, TakesNothingButAYesForAPermission) {
  for (const auto* yes : {"yes", "y", "YES", " Yes "}) {
    EXPECT_EQ(as_reply(Secret(yes), ReplyForm::YesOrNo).reveal(), "yes");
  }
  for (const auto* no : {"", "no", "n", "yess", "ok"}) {
    EXPECT_EQ(as_reply(Secret(no), ReplyForm::YesOrNo).reveal(), "no");
  }
  EXPECT_EQ(as_reply(Secret(" as typed"), ReplyForm::Text).reveal(), " as typed");
}

}  // namespace
}  // namespace yonder::link
