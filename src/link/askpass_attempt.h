#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "link/askpass_policy.h"

namespace yonder::link {

// What the broker's threads and the owner of an attempt share about it. Thread: any.
class AttemptState {
 public:
  AttemptState(SandboxSpec spec, std::function<void()> on_refused);

  const SandboxSpec& spec() const { return spec_; }
  const std::string& token() const { return token_; }
  // Cancelled when the attempt has ended.
  CancelToken ended() const { return ended_.token(); }

  // Decides and remembers in one step, so that two questions cannot get the same secret.
  Decision next(const Question& question, const AnswerSources& sources);
  void refuse(const Question& question);
  // False when the attempt was refused in the meantime: the answer must not be given then.
  bool may_answer(Decision decision);

  // What there is to say of password_command: that it runs, why it failed, or nothing.
  void note_command(std::string trouble);
  std::string command_trouble() const;

  void note_person();
  bool asked_a_person() const;

  std::optional<Question> refused() const;
  bool answered_from_settings() const;
  // After this, on_refused is not called and does not run.
  void end();

 private:
  struct Progress {
    AnswerHistory history;
    std::optional<Question> refused;
    bool from_settings = false;
    bool from_person = false;
    std::string command_trouble;
  };

  const SandboxSpec spec_;
  const std::string token_;
  const CancelSource ended_;
  Guarded<Progress> progress_;
  // Called under its own lock, so that end() waits for it.
  Guarded<std::function<void()>> on_refused_;
};

// The attempts in progress. Thread: any.
class AttemptRegistry {
 public:
  // An attempt that comes after close() is ended at once.
  void add(const std::shared_ptr<AttemptState>& attempt);
  void remove(const AttemptState& attempt);
  // Nothing for a token that nobody has. Takes the same time for every wrong token.
  std::shared_ptr<AttemptState> find(std::string_view token) const;
  // Ends all.
  void close();

 private:
  struct Attempts {
    bool closed = false;
    std::vector<std::shared_ptr<AttemptState>> all;
  };
  Guarded<Attempts> attempts_;
};

}  // namespace yonder::link
