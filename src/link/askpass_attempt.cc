#include "link/askpass_attempt.h"

#include <utility>

#include "base/id.h"

namespace yonder::link {
namespace {

// 160 bits.
constexpr std::size_t kTokenLetters = 32;

bool same_token(std::string_view ours, std::string_view theirs) {
  if (ours.size() != theirs.size()) return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    difference |= static_cast<unsigned char>(ours[i]) ^ static_cast<unsigned char>(theirs[i]);
  }
  return difference == 0;
}

}  // namespace

AttemptState::AttemptState(SandboxSpec spec, std::function<void()> on_refused)
    : spec_(std::move(spec)),
      token_(random_letters(kTokenLetters)),
      on_refused_(std::move(on_refused)) {}

Decision AttemptState::next(const Question& question, const AnswerSources& sources) {
  return progress_.with([&](Progress& progress) {
    const Decision decision = decide(question, sources, progress.history);
    progress.history = after(decision, progress.history);
    return decision;
  });
}

void AttemptState::refuse(const Question& question) {
  progress_.with([&](Progress& progress) {
    progress.history = after(Decision::Refuse, progress.history);
    if (!progress.refused) progress.refused = question;
  });
  on_refused_.with([](std::function<void()>& on_refused) {
    if (const auto call = std::exchange(on_refused, nullptr)) call();
  });
}

bool AttemptState::may_answer(Decision decision) {
  return progress_.with([&](Progress& progress) {
    if (progress.history.refused) return false;
    if (decision != Decision::AskPerson) progress.from_settings = true;
    return true;
  });
}

std::optional<Question> AttemptState::refused() const {
  return progress_.with([](const Progress& progress) { return progress.refused; });
}

void AttemptState::note_command(std::string trouble) {
  progress_.with([&](Progress& progress) { progress.command_trouble = std::move(trouble); });
}

std::string AttemptState::command_trouble() const {
  return progress_.with([](const Progress& progress) { return progress.command_trouble; });
}

void AttemptState::note_person() {
  progress_.with([](Progress& progress) { progress.from_person = true; });
}

bool AttemptState::asked_a_person() const {
  return progress_.with([](const Progress& progress) { return progress.from_person; });
}

bool AttemptState::answered_from_settings() const {
  return progress_.with([](const Progress& progress) { return progress.from_settings; });
}

void AttemptState::end() {
  on_refused_.with([](std::function<void()>& on_refused) { on_refused = nullptr; });
  ended_.cancel();
}

void AttemptRegistry::add(const std::shared_ptr<AttemptState>& attempt) {
  const bool closed = attempts_.with([&](Attempts& attempts) {
    if (!attempts.closed) attempts.all.push_back(attempt);
    return attempts.closed;
  });
  if (closed) attempt->end();
}

void AttemptRegistry::remove(const AttemptState& attempt) {
  attempts_.with([&](Attempts& attempts) {
    std::erase_if(attempts.all, [&](const auto& other) { return other.get() == &attempt; });
  });
}

std::shared_ptr<AttemptState> AttemptRegistry::find(std::string_view token) const {
  return attempts_.with([&](const Attempts& attempts) {
    std::shared_ptr<AttemptState> found;
    for (const auto& attempt : attempts.all) {
      if (same_token(attempt->token(), token)) found = attempt;
    }
    return found;
  });
}

void AttemptRegistry::close() {
  const auto all = attempts_.with([](Attempts& attempts) {
    attempts.closed = true;
    return std::exchange(attempts.all, {});
  });
  for (const auto& attempt : all) attempt->end();
}

}  // namespace yonder::link
