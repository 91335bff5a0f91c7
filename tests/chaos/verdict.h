#pragma once

#include <string>

#include "base/clock.h"
#include "base/json.h"
#include "chaos/plan.h"
#include "chaos/tally.h"
#include "chaos/truth.h"

namespace yonder::chaos {

// What was so around a call, by the test's own eyes.
struct Evidence {
  Instant sent;
  Seen before;               // known when it was sent
  bool alive_after = false;  // the command still existed when the answer had come
};
Evidence evidence_before(const Truth& truth, const RunPlan& plan);
void add_evidence_after(Evidence& evidence);

// Its time limit came before it was ready: how far it got then is up to the machine.
bool was_cut_short(const RunPlan& plan);
bool is_ended(const std::string& state);

// Holds an answer against the evidence. `unknown` is always right.
void judge_state(const RunPlan& plan, const Evidence& evidence, const Json& answer, Tally& tally);
// The bytes of an answer of check_background_task with raw.
void judge_log(const RunPlan& plan, const Json& answer, Tally& tally);

// "start: unreachable" for an error, else the state.
std::string label_of(const char* call, bool is_error, const Json& content);

}  // namespace yonder::chaos
