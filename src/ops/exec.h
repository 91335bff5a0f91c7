#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/run.h"
#include "ops/engine.h"
#include "ops/placement.h"

namespace yonder::ops {

// Run one command and wait for it, or for a run that an earlier call started.
struct ExecRequest {
  std::string sandbox;  // empty: the session's active one; or kAnyMachine
  RunRequest run;
  resources::Needs needs;                 // those of `run` are set from these
  std::optional<std::string> stdin_text;  // nothing: stdin is closed
  int stdin_fd = -1;                      // or a descriptor to stream from
  std::optional<RunId> run_id;            // attach to this run instead of starting one
  std::string run_named;                  // the same, by its id or a unique beginning of it
  std::optional<Duration> wait = std::chrono::seconds(50);  // nothing: until the end
  std::size_t max_output_chars = 20000;
};

struct ExecResponse {
  std::string sandbox;
  RunId run_id;
  RunStatus status;
  bool connection_error = false;  // we cannot see it now; status.state is unknown
  bool attached = false;          // the key or run_id named a run that existed already
  bool detached = false;          // we stopped waiting because we were asked to
  std::string stdout_text;        // clean, bounded: head and tail
  std::string stderr_text;
  std::uint64_t stdout_bytes = 0;  // what the command really printed
  std::uint64_t stderr_bytes = 0;
  bool truncated = false;
  bool binary = false;
  std::optional<Chosen> chosen;  // by us
  std::vector<std::string> warnings;
};

Result<ExecRequest> parse_exec_request(const Json& arguments);
Json to_json(const ExecResponse& response);
Json exec_input_schema();
Json exec_output_schema();

// For agents: bounded output in the response.
Result<ExecResponse> exec(Engine& engine, CallContext& context, const ExecRequest& request);

// Pure. What to try when a program was not found: one that only the login shell sets up is found
// by it. Empty: nothing of the kind.
std::string not_found_hint(const RunStatus& status, bool login);

// For people: every byte of output as it comes, and stdin from a descriptor.
struct ExecStreams {
  // Thread: the caller's. May block: the far side waits then.
  std::function<void(std::string_view bytes)> on_stdout;
  std::function<void(std::string_view bytes)> on_stderr;
  // Between what came of one of them ("stdout", "stderr") and what comes next, these bytes are
  // missing: they are not kept over there any more. Only of a run that existed already.
  std::function<void(std::string_view output, std::uint64_t from, std::uint64_t to)> on_missing;
  int stdin_fd = -1;  // -1: stdin is closed
  // The run may exist from here on. Called once for each machine that is tried.
  std::function<void(const RunId&)> on_started;
};
// The response's texts stay empty: the streams had them.
Result<ExecResponse> exec_streaming(Engine& engine, CallContext& context,
                                    const ExecRequest& request, const ExecStreams& streams);

}  // namespace yonder::ops
