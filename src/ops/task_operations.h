#pragma once

#include <vector>

#include "ops/operation.h"
#include "ops/tasks.h"

namespace yonder::ops {

Json to_json(const CheckResponse& response);
Json to_json(const StopTaskResponse& response);

Result<CheckRequest> parse_check_request(const Json& arguments);
Result<StopTaskRequest> parse_stop_request(const Json& arguments);
// "TERM", "SIGTERM" or "15".
Result<int> parse_signal(const std::string& text);

// exec_bash_background, check_background_task, stop_background_task, list_background_tasks.
std::vector<Operation> task_operations();
// remote_bash, remote_bash_output, remote_file_read.
std::vector<Operation> remote_ssh_operations();

}  // namespace yonder::ops
