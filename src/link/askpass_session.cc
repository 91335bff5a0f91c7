#include "link/askpass_session.h"

#include <sys/socket.h>
#include <unistd.h>

#include "base/log.h"
#include "link/askpass_command.h"
#include "link/askpass_hop.h"
#include "link/askpass_message.h"
#include "link/askpass_socket.h"

namespace yonder::link {
namespace {

// One of the places for those who wait for a person, if there is one left.
class WaitingPlace {
 public:
  explicit WaitingPlace(std::atomic<int>& taken)
      : taken_(taken), granted_(taken_.fetch_add(1) < kMaxWaitingForPeople) {}
  WaitingPlace(const WaitingPlace&) = delete;
  WaitingPlace& operator=(const WaitingPlace&) = delete;
  ~WaitingPlace() { taken_.fetch_sub(1); }
  explicit operator bool() const { return granted_; }

 private:
  std::atomic<int>& taken_;
  bool granted_;
};

std::optional<Secret> from_command(AttemptState& attempt, const SessionTools& tools) {
  attempt.note_command("password_command has not ended yet");
  auto secret = run_password_command(
      attempt.spec().password_command, tools.options.environment,
      {.deadline = Deadline::after(tools.options.command_limit), .cancel = attempt.ended()});
  if (!attempt.ended().cancelled()) {
    attempt.note_command(secret ? "" : secret.error().message);
  }
  if (secret) return *std::move(secret);
  if (attempt.ended().cancelled()) return std::nullopt;
  log_warning("no password", {{"sandbox", attempt.spec().name}, {"why", secret.error().message}});
  return std::nullopt;
}

std::optional<Secret> from_person(AttemptState& attempt, const Question& question,
                                  const SessionTools& tools) {
  const WaitingPlace place(tools.waiting_for_people);
  if (!place) return std::nullopt;
  attempt.note_person();
  auto typed = tools.person->ask(
      attempt.spec().name, question,
      {.deadline = Deadline::after(tools.options.person_limit), .cancel = attempt.ended()});
  if (!typed) return std::nullopt;
  return as_reply(*std::move(typed), question.reply);
}

std::optional<Secret> obtain(Decision decision, AttemptState& attempt, const Question& question,
                             const SessionTools& tools) {
  switch (decision) {
    case Decision::GivePassword: return attempt.spec().password;
    case Decision::GivePassphrase: return attempt.spec().key_passphrase;
    case Decision::RunPasswordCommand: return from_command(attempt, tools);
    case Decision::AskPerson: return from_person(attempt, question, tools);
    case Decision::Tell:
    case Decision::Refuse: break;
  }
  return std::nullopt;
}

// ssh ends the helper when the key was touched; until then the helper must stay.
void tell(const Fd& connection, AttemptState& attempt, const Question& question,
          const SessionTools& tools) {
  const WaitingPlace place(tools.waiting_for_people);
  if (!place) return;
  attempt.note_person();
  if (tools.person != nullptr) tools.person->tell(attempt.spec().name, question);
  wait_for_hang_up(connection, Deadline::after(tools.options.person_limit));
}

void answer(const Fd& connection, AttemptState& attempt, const Question& question,
            const AnswerSources& sources, const SessionTools& tools) {
  Decision decision = attempt.next(question, sources);
  if (decision == Decision::Tell) return tell(connection, attempt, question, tools);
  auto secret = obtain(decision, attempt, question, tools);
  if (!secret && decision == Decision::RunPasswordCommand) {
    decision = attempt.next(question, sources);  // does not choose the command again
    secret = obtain(decision, attempt, question, tools);
    if (secret) attempt.note_command("");
  }
  if (!secret || !attempt.may_answer(decision)) return attempt.refuse(question);
  const auto sent = send_answer(connection, *secret, Deadline::after(tools.options.request_limit));
  if (!sent) log_debug("askpass: answer not taken", {{"sandbox", attempt.spec().name}});
}

}  // namespace

void serve_question(const Fd& connection, const SessionTools& tools) {
  const auto peer = peer_of(connection);
  if (!peer || peer->uid != ::geteuid()) return;
  const auto request = receive_request(connection, Deadline::after(tools.options.request_limit));
  if (!request) return log_debug("askpass: no question", {{"why", request.error().message}});
  const auto attempt = tools.attempts.find(request->token);
  if (!attempt) return log_debug("askpass: a question of no attempt");

  const auto hang_up =
      attempt->ended().on_cancel([&connection] { ::shutdown(connection.get(), SHUT_RDWR); });
  const Question question = classify_question(request->prompt, request->hint);
  AnswerSources sources = sources_of(attempt->spec(), tools.person);
  sources.other_hop = asked_by_another_hop(peer->pid);
  answer(connection, *attempt, question, sources, tools);
}

}  // namespace yonder::link
