#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/secret.h"
#include "model/sandbox_spec.h"

namespace yonder::link {

enum class QuestionKind { Password, KeyPassphrase, OneTimeCode, HostKey, Confirmation, Unknown };

struct Question {
  QuestionKind kind = QuestionKind::Unknown;
  std::string prompt;  // as ssh worded it; hostile text
};
// Pure. A one-time code's prompt may well contain the word "password", so the order of tests
// matters.
Question classify_question(std::string_view prompt);

// The person beside us, if there is one. Thread: the broker's.
class Person {
 public:
  virtual ~Person() = default;
  // Nothing when there is nobody, or when they refuse.
  virtual std::optional<Secret> ask(const std::string& sandbox, const Question& question) = 0;
};

// Answers ssh's questions. ssh starts this same program as SSH_ASKPASS; that process connects to a
// socket in a private directory and shows a token that only this attempt knows. The answer goes
// from here through the socket and a pipe into ssh: never into an argument list, an environment or
// a log.
class AskpassBroker {
 public:
  // `directory` is created 0700. `program` is the absolute path of this executable.
  static Result<std::unique_ptr<AskpassBroker>> open(std::string directory, std::string program,
                                                     Person* person);
  virtual ~AskpassBroker() = default;

  // One attempt to connect. Each known answer is given at most once (a second question of the same
  // kind and text means it was wrong), and there are never more than a few answers in all.
  class Attempt {
   public:
    virtual ~Attempt() = default;
    // SSH_ASKPASS and what it needs; to be added to ssh's environment.
    virtual std::vector<std::string> environment() const = 0;
    // The question that could not be answered, if any: the attempt has failed then.
    virtual std::optional<Question> refused() const = 0;
    // Whether a configured secret was handed over (so that a failure means it is wrong).
    virtual bool answered_from_settings() const = 0;
  };
  // `on_refused` is called once, from the broker's thread: ssh must be ended, lest it go on with
  // empty answers.
  virtual std::unique_ptr<Attempt> begin(const SandboxSpec& spec,
                                         std::function<void()> on_refused) = 0;
};

// The other end: main() calls this first. Nothing when this process was not started as SSH_ASKPASS;
// otherwise its exit status, after the answer was printed.
std::optional<int> run_as_askpass(int argc, char** argv);

}  // namespace yonder::link
