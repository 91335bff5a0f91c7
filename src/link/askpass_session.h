#pragma once

#include <atomic>

#include "base/fd.h"
#include "link/askpass_attempt.h"

namespace yonder::link {

// What every question needs to be answered. Outlives the sessions.
struct SessionTools {
  AttemptRegistry& attempts;
  Person* person;  // may be null
  const AskpassOptions& options;
  std::atomic<int>& waiting_for_people;
};

// Sessions that may wait for a person at the same time. Half of all, so that the other half can go
// on answering from the settings, whatever people do.
constexpr int kMaxWaitingForPeople = 8;
constexpr int kMaxSessions = 2 * kMaxWaitingForPeople;

// Serves one helper process, from its request to its answer. Returns early when the connection is
// shut down.
void serve_question(const Fd& connection, const SessionTools& tools);

}  // namespace yonder::link
