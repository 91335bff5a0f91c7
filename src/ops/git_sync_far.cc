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

// Nothing of it is to be trusted but that it has ended by itself.
Result<void> check_end(const ExecResponse& response, const std::string& said) {
  const RunStatus& status = response.status;
  if (response.detached) return Error{Errc::Cancelled, "left before the far side was done", ""};
  if (response.connection_error || status.state == RunState::Unknown) {
    return Error{Errc::LinkLost,
                 concat("the connection is lost, and what became of it is not known: ",
                        join(response.warnings, "; ")),
                 "call again: it goes on from whatever is there then"};
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
  ExecRequest request{.sandbox = script.sandbox, .wait = std::nullopt};
  request.run.argv = {"sh", "-c", script.text};
  request.run.cwd = script.cwd;
  request.run.timeout =
      std::clamp<Duration>(script.deadline.remaining(), std::chrono::milliseconds(1), kLongest);
  CancelSource give_up;
  const auto on_cancel = context.cancel.on_cancel([&] { give_up.cancel(); });
  CallContext inner{.session = context.session,
                    .cancel = give_up.token(),
                    .detach = context.detach,
                    .abandon = context.abandon,
                    .progress = context.progress};
  FarOutput output;
  HeadTail errors(kMostFarSaid / 2, kMostFarSaid / 2);
  bool too_much = false;
  const auto take = [&](std::string_view bytes) {
    too_much = too_much || output.out.size() + bytes.size() > kMostFarOutput;
    if (too_much) return give_up.cancel();
    output.out += bytes;
  };
  TRY_ASSIGN(const ExecResponse response,
             exec_streaming(engine, inner, request,
                            {.on_stdout = take,
                             .on_stderr = [&](std::string_view bytes) { errors.append(bytes); },
                             .stdin_fd = script.stdin_fd}));
  if (too_much) return Error{Errc::Protocol, "the far side printed too much", ""};
  output.said = trim(clean_text(errors).text);
  TRY(check_end(response, output.said));
  return output;
}

}  // namespace yonder::ops
