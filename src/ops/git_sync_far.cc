#include "ops/git_sync_far.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/head_tail.h"
#include "base/text.h"
#include "ops/exec.h"

namespace yonder::ops {
namespace {

constexpr std::size_t kMostFarOutput = 32UL << 20;
constexpr std::size_t kMostFarSaid = 1000;
// When we are killed, nobody sends the rest of a pack: git must not wait for it for ever.
constexpr auto kLongest = std::chrono::hours(24);

constexpr const char* kGoesOn = "the checkout had begun and goes on over there";
constexpr const char* kHowItEnds = "call again: it waits for that, and tells how it has ended";

// Nothing of it is to be trusted but that it has ended by itself.
Result<void> check_end(const ExecResponse& response, const std::string& said, bool stays) {
  const RunStatus& status = response.status;
  if (response.detached) {
    if (stays) return Error{Errc::Cancelled, concat("cancelled; ", kGoesOn), kHowItEnds};
    return Error{Errc::Cancelled, "left before the far side was done", ""};
  }
  if (response.connection_error || status.state == RunState::Unknown) {
    return Error{Errc::LinkLost,
                 concat("the connection is lost, and what became of it is not known: ",
                        join(response.warnings, "; ")),
                 "call again: it goes on from whatever is there then"};
  }
  if (stays && !has_ended(status.state)) {
    return Error{Errc::Timeout, concat("the time limit was reached; ", kGoesOn), kHowItEnds};
  }
  switch (status.state) {
    case RunState::TimedOut: return Error{Errc::Timeout, "the time limit was reached", ""};
    case RunState::Stopped: return Error{Errc::Cancelled, "stopped", ""};
    case RunState::Exited: break;
    default:
      return Error{Errc::Conflict, concat("git was ended over there: ", status.proof),
                   "call again"};
  }
  if (status.exit_code == 0) return {};
  return Error{Errc::Conflict, concat("the shell over there failed: ", said), ""};
}

}  // namespace

Result<FarOutput> run_far_script(Engine& engine, CallContext& context, const FarScript& script) {
  if (script.stays && context.cancel.cancelled()) return Error{Errc::Cancelled, "cancelled", ""};
  if (script.stays && script.deadline.expired()) {
    return Error{Errc::Timeout, "the time limit was reached before the checkout began", ""};
  }
  ExecRequest request{.sandbox = script.sandbox, .wait = std::nullopt};
  request.run.argv = {"sh", "-c", script.text};
  request.run.cwd = script.cwd;
  request.run.timeout = script.stays ? kLongest
                                     : std::clamp<Duration>(script.deadline.remaining(),
                                                            std::chrono::milliseconds(1), kLongest);
  if (script.stays && !script.deadline.is_never()) request.wait = script.deadline.remaining();
  CancelSource give_up;
  CancelSource leave;
  const auto on_cancel =
      context.cancel.on_cancel([&] { (script.stays ? leave : give_up).cancel(); });
  const auto on_detach = context.detach.on_cancel([&] { leave.cancel(); });
  CallContext inner{.session = context.session,
                    .cancel = give_up.token(),
                    .detach = leave.token(),
                    .abandon = context.abandon,
                    .progress = context.progress};
  FarOutput output;
  HeadTail errors(kMostFarSaid / 2, kMostFarSaid / 2);
  bool too_much = false;
  bool missing = false;
  const auto take = [&](std::string_view bytes) {
    too_much = too_much || output.out.size() + bytes.size() > kMostFarOutput;
    if (too_much) return give_up.cancel();
    output.out += bytes;
  };
  TRY_ASSIGN(const ExecResponse response,
             exec_streaming(engine, inner, request,
                            {.on_stdout = take,
                             .on_stderr = [&](std::string_view bytes) { errors.append(bytes); },
                             .on_missing = [&](auto...) { missing = true; },
                             .stdin_fd = script.stdin_fd}));
  if (too_much) return Error{Errc::Protocol, "the far side printed too much", ""};
  if (missing) return Error{Errc::Protocol, "part of the answer is not kept there any more", ""};
  output.said = trim(clean_text(errors).text);
  TRY(check_end(response, output.said, script.stays));
  return output;
}

}  // namespace yonder::ops
