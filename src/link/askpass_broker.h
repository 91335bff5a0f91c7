#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/cancel.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/secret.h"
#include "model/sandbox_spec.h"

namespace yonder::link {

enum class QuestionKind {
  Password,
  KeyPassphrase,
  OneTimeCode,  // and a hardware key's PIN: only a person has it
  HostKey,
  Confirmation,
  Unknown,
};

enum class ReplyForm {
  Text,
  YesOrNo,  // ssh asks for a permission
  None,     // ssh only says something ("touch your key") and ends the helper when that is over
};

struct Question {
  QuestionKind kind = QuestionKind::Unknown;
  std::string prompt;  // as ssh worded it; hostile text
  ReplyForm reply = ReplyForm::Text;
};
// Pure. A one-time code's prompt may well contain the word "password", so the order of tests
// matters. `hint` is what ssh says in SSH_ASKPASS_PROMPT: "", "confirm" or "none".
Question classify_question(std::string_view prompt, std::string_view hint = "");

// How long an answer is waited for.
struct Patience {
  Deadline deadline = Deadline::never();
  CancelToken cancel{};  // nobody needs the answer any more
};

// The person beside us, if there is one. Outlives the broker. Thread: the broker's, several at
// once.
class Person {
 public:
  virtual ~Person() = default;
  // Nothing when there is nobody, when they refuse, or when patience is over.
  virtual std::optional<Secret> ask(const std::string& sandbox, const Question& question,
                                    const Patience& patience) = 0;
  // Something to know that needs no answer (ReplyForm::None). Does not wait.
  virtual void tell(const std::string& /*sandbox*/, const Question& /*question*/) {}
};

struct AskpassOptions {
  // Of password_command. Yonder's own secrets are taken out.
  std::vector<std::string> environment{};
  Duration request_limit = std::chrono::seconds(10);  // for the helper to say what is asked
  Duration command_limit = std::chrono::seconds(60);  // for password_command
  Duration person_limit = std::chrono::minutes(5);    // for typing, or touching a key
};

// Answers ssh's questions. ssh starts this same program as SSH_ASKPASS; that process connects to a
// socket in a private directory and shows a token that only this attempt knows. The answer goes
// from here through the socket and a pipe into ssh: never into an argument list, an environment or
// a log.
class AskpassBroker {
 public:
  // `directory` is created 0700; one that others can reach is refused. Its path must be short: the
  // system limits a socket's to about 100 bytes. `program` is the absolute path of this executable.
  static Result<std::unique_ptr<AskpassBroker>> open(const std::string& directory,
                                                     std::string program, Person* person,
                                                     AskpassOptions options = {});
  // Refuses what is still being asked, without a word to `on_refused`.
  virtual ~AskpassBroker() = default;

  // One attempt to connect. Each known answer is given at most once (a second question of the same
  // kind means it was wrong), and there are never more than a few answers in all.
  // Its end makes its token worthless and refuses what is still being asked; `on_refused` is not
  // called any more once the destructor has returned.
  class Attempt {
   public:
    virtual ~Attempt() = default;
    // SSH_ASKPASS and what it needs; to be put into ssh's environment with with_askpass().
    virtual std::vector<std::string> environment() const = 0;
    // The question that could not be answered, if any: the attempt has failed then.
    virtual std::optional<Question> refused() const = 0;
    // What password_command did instead of answering, or that it has not ended yet; empty when
    // neither is so.
    virtual std::string command_trouble() const = 0;
    // Whether a configured secret was handed over (so that a failure means it is wrong).
    virtual bool answered_from_settings() const = 0;
    // Whether a person was, or is, asked for something.
    virtual bool asked_a_person() const { return false; }
  };
  // `on_refused` is called once, from the broker's thread and before ssh hears of the refusal: ssh
  // must be ended, lest it go on with empty answers. It must not destroy the attempt, nor wait for
  // somebody who does.
  virtual std::unique_ptr<Attempt> begin(const SandboxSpec& spec,
                                         std::function<void()> on_refused) = 0;
  // Whether a question is before a person now, whatever the attempt.
  virtual bool asks_a_person() const { return false; }
};

// `base` with `added` (an attempt's environment) in place of variables of the same name. DISPLAY is
// only added where there is none: ssh before 8.4 asks no helper without it, whatever it says.
std::vector<std::string> with_askpass(std::vector<std::string> base,
                                      const std::vector<std::string>& added);

// The other end: main() calls this first. Nothing when this process was not started as SSH_ASKPASS;
// otherwise its exit status, after the answer was printed.
std::optional<int> run_as_askpass(int argc, char** argv);

}  // namespace yonder::link
