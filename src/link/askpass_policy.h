#pragma once

#include <string>
#include <string_view>

#include "link/askpass_broker.h"

namespace yonder::link {

// Where an answer could come from.
struct AnswerSources {
  bool password = false;
  bool password_command = false;
  bool key_passphrase = false;
  std::string_view key_file{};  // whose passphrase that is
  bool person = false;
  // A jump host's ssh inherits our environment and asks us too; the password is not meant for it.
  bool other_hop = false;
};
AnswerSources sources_of(const SandboxSpec& spec, const Person* person);

// What an attempt has had already.
struct AnswerHistory {
  int answers = 0;
  bool password_given = false;
  bool passphrase_given = false;
  bool refused = false;
};

enum class Decision { GivePassword, RunPasswordCommand, GivePassphrase, AskPerson, Tell, Refuse };

// ssh repeats a question for ever when the answer is wrong; a real login needs three or four.
constexpr int kMaxAnswers = 6;

// Pure.
Decision decide(const Question& question, const AnswerSources& sources,
                const AnswerHistory& history);
// The history once the decision is carried out.
AnswerHistory after(Decision decision, AnswerHistory history);

// What ssh gets for what a person typed. An empty line would be a permission to ssh, so everything
// but a clear yes becomes a no.
Secret as_reply(Secret typed, ReplyForm form);

}  // namespace yonder::link
