#pragma once

#include <string_view>
#include <vector>

#include "base/json.h"
#include "mcp/protocol.h"
#include "mcp/server.h"

namespace yonder::mcp {

// How tools and their results look to a client of each protocol version. Pure.

// The result of tools/list.
Json tool_list(const std::vector<Tool>& tools, Version version);

const Tool* find_tool(const std::vector<Tool>& tools, std::string_view name);
// "no tool "exec_bsh"; did you mean exec_bash?"
std::string unknown_tool_message(const std::vector<Tool>& tools, std::string_view name);

// The result of tools/call. What the tool could not do is a result too: the model can act on it.
Json call_result(const Result<Json>& outcome, Version version);

// The schema of what a tool returns, widened by how it fails: some clients hold failed results
// against the schema as well.
Json with_failure(Json schema);

}  // namespace yonder::mcp
