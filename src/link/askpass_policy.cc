#include "link/askpass_policy.h"

#include "base/text.h"

namespace yonder::link {

namespace {

// "Enter passphrase for key '/home/alice/.ssh/id': ". ssh names as much of the path as 100 bytes
// hold. The question for another key may be one of a machine on the way; and an older ssh does not
// mark the words of a server, which could be these.
bool names_key(std::string_view prompt, std::string_view key_file) {
  constexpr std::size_t kShown = 100;
  const std::size_t begin = prompt.find('\'');
  const std::size_t end = prompt.rfind('\'');
  if (key_file.empty() || begin == std::string_view::npos || begin == end) return false;
  return prompt.substr(begin + 1, end - begin - 1) == key_file.substr(0, kShown);
}

}  // namespace

AnswerSources sources_of(const SandboxSpec& spec, const Person* person) {
  return {.password = !spec.password.empty(),
          .password_command = !spec.password_command.empty(),
          .key_passphrase = !spec.key_passphrase.empty(),
          .key_file = spec.key_file,
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
      names_key(question.prompt, sources.key_file) && !history.passphrase_given) {
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
