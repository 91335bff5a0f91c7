#include "fuzz/target.h"
#include "link/askpass_policy.h"

// What ssh asks, in words that a server may have chosen. No secret goes where it was not meant for.
namespace yonder::fuzz {
namespace {

using link::Decision;
using link::QuestionKind;
using link::ReplyForm;

void check_decision(const link::Question& question, const link::AnswerSources& sources,
                    Decision decision) {
  const bool password =
      decision == Decision::GivePassword || decision == Decision::RunPasswordCommand;
  require(!password || question.kind == QuestionKind::Password, "only a password is a password");
  require(!password || !sources.other_hop, "no other machine gets the password");
  require(decision != Decision::GivePassphrase || question.kind == QuestionKind::KeyPassphrase,
          "only ssh gets the passphrase");
  require(!password || question.reply == ReplyForm::Text, "a permission is no password");
  require(decision != Decision::AskPerson || sources.person, "only a person who is there is asked");
}

void questions(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::size_t bits = pieces.byte();
  const std::string_view hint = pieces.piece();
  const auto question = link::classify_question(pieces.rest(), hint);
  // ssh puts what a server wrote behind the account that it is about.
  require(!pieces.rest().starts_with('(') || question.kind != QuestionKind::KeyPassphrase,
          "no server asks for the passphrase");
  const link::AnswerSources sources{.password = (bits & 1U) != 0,
                                    .password_command = (bits & 2U) != 0,
                                    .key_passphrase = (bits & 4U) != 0,
                                    .person = (bits & 8U) != 0,
                                    .other_hop = (bits & 16U) != 0};
  link::AnswerHistory history;
  int secrets = 0;
  for (int i = 0; i < 2 * link::kMaxAnswers; ++i) {
    const Decision decision = link::decide(question, sources, history);
    check_decision(question, sources, decision);
    history = link::after(decision, history);
    if (decision != Decision::AskPerson && decision != Decision::Tell &&
        decision != Decision::Refuse) {
      ++secrets;
    }
  }
  require(secrets <= 1, "a secret is given once");
  require(history.answers <= link::kMaxAnswers, "there is an end to answers");
  const std::string reply = link::as_reply(Secret(std::string(hint)), ReplyForm::YesOrNo).reveal();
  require(reply == "yes" || reply == "no", "a permission is a yes or a no");
}

const Registered kQuestions("questions", questions);

}  // namespace
}  // namespace yonder::fuzz
