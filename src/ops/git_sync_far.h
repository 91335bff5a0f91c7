#pragma once

#include <string>

#include "base/clock.h"
#include "ops/engine.h"

namespace yonder::ops {

// A shell program of ours, run over there to its end.
struct FarScript {
  std::string sandbox;
  std::string cwd;
  std::string text;
  int stdin_fd = -1;
  Deadline deadline = Deadline::never();
  // Once it is begun it runs to its end, whoever leaves: the deadline is only for the waiting.
  bool stays = false;
};
struct FarOutput {
  std::string out;   // every byte
  std::string said;  // stderr: clean, bounded
};
// Errors: it could not be run, did not come to its end, or printed beyond all measure.
Result<FarOutput> run_far_script(Engine& engine, CallContext& context, const FarScript& script);

}  // namespace yonder::ops
