#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "model/run.h"
#include "ops/engine.h"
#include "ops/placement.h"

namespace yonder::ops {

// Start work that outlives the call, the client and the link.
struct BackgroundRequest {
  std::string sandbox;  // empty: the session's active one; or kAnyMachine
  RunRequest run;
  resources::Needs needs;    // those of `run` are set from these
  std::string session_name;  // empty: made up from the run id
  std::string log_file;      // empty: in the run's record over there
  std::string description;
  std::string launcher;               // empty: the best there is
  bool tmux = true;                   // show it in a tmux session, where there is tmux
  std::vector<std::string> warnings;  // about parameters that have no effect yet
};

struct BackgroundResponse {
  std::string sandbox;
  RunId run_id;
  RunStatus status;
  bool connection_error = false;  // it may have started; what became of it is not known now
  bool launch_recovered = false;  // this key or a retry found the run that an earlier try began
  std::string session_name;
  std::string tmux_session;      // empty: none
  std::string log_file;          // absolute; empty when it is not known yet
  std::string launcher;          // empty when it is not known yet
  std::optional<Chosen> chosen;  // by us
  std::vector<std::string> warnings;
};

// Errors mean that nothing was started.
Result<BackgroundResponse> start_background(Engine& engine, CallContext& context,
                                            const BackgroundRequest& request);

Result<BackgroundRequest> parse_background_request(const Json& arguments);
Json to_json(const BackgroundResponse& response);
Json background_input_schema();
Json background_output_schema();

}  // namespace yonder::ops
