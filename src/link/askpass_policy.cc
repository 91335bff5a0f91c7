#include "link/askpass_policy.h"

#include "base/text.h"

namespace yonder::link {

AnswerSources sources_of(const SandboxSpec& spec, const Person* person) {
  return {.password = !spec.password.empty(),
          .password_command = !spec.password_command.empty(),
          .key_passphrase = !spec.key_passphrase.empty(),
          .person = person != nullptr};
}

Decision decide(const Question& question, const AnswerSources& sources,
                const AnswerHistory& history) {
  if (history.refused) return Decision::Refuse;
  if (question.reply == ReplyForm::None) return Decision::Tell;
  if (history.answers >= kMaxAnswers) return Decision::Refuse;
  const bool takes_settings = question.reply == ReplyForm::Text;
  if (takes_settings && question.kind == QuestionKind::Password && !history.password_given &&
      !sources.other_hop) {
    if (sources.password) return Decision::GivePassword;
    if (sources.password_command) return Decision::RunPasswordCommand;
  }
  if (takes_settings && question.kind == QuestionKind::KeyPassphrase && sources.key_passphrase &&
      !history.passphrase_given) {
    return Decision::GivePassphrase;
  }
  return sources.person ? Decision::AskPerson : Decision::Refuse;
}

AnswerHistory after(Decision decision, AnswerHistory history) {
  switch (decision) {
    case Decision::GivePassword:
    case Decision::RunPasswordCommand:
      history.password_given = true;
      ++history.answers;
      break;
    case Decision::GivePassphrase:
      history.passphrase_given = true;
      ++history.answers;
      break;
    case Decision::AskPerson: ++history.answers; break;
    case Decision::Tell: break;
    case Decision::Refuse: history.refused = true; break;
  }
  return history;
}

Secret as_reply(Secret typed, ReplyForm form) {
  if (form != ReplyForm::YesOrNo) return typed;
  const std::string word = to_lower(trim(typed.reveal()));
  return Secret(word == "yes" || word == "y" ? "yes" : "no");
}

}  // namespace yonder::link
