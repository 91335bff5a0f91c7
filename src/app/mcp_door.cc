#include "app/mcp_door.h"

#include <unistd.h>

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "mcp/server.h"

namespace yonder::app {
namespace {

// What a model should know before it sees the tools. Some clients cut at 2 KB.
constexpr const char* kInstructions =
    "Yonder runs commands on other machines (sandboxes) over SSH. list_sandboxes shows them; "
    "select_sandbox chooses one for this session; exec_bash runs a command there. A command "
    "survives "
    "lost connections. When a call returns running: true, or state: unknown, call exec_bash again "
    "with only the run_id: never start the command a second time. left_running lists processes "
    "that "
    "outlived their command. If an error says auth_needed, ask the user to run the command in its "
    "hint; do not retry.";

std::vector<mcp::Tool> tools_for(ops::Engine& engine, const std::vector<std::string>& toolsets) {
  std::vector<mcp::Tool> tools;
  for (auto& operation : ops::all_operations()) {
    const bool wanted = toolsets.empty() ? operation.toolset == "core"
                                         : std::find(toolsets.begin(), toolsets.end(),
                                                     operation.toolset) != toolsets.end();
    if (!wanted) continue;
    auto call = [&engine, handler = operation.call](ops::CallContext& context,
                                                    const Json& arguments) {
      return handler(engine, context, arguments);
    };
    tools.push_back({.operation = std::move(operation), .call = std::move(call)});
  }
  return tools;
}

}  // namespace

int serve_mcp(ops::Engine& engine, const std::vector<std::string>& toolsets) {
  auto input = duplicate(STDIN_FILENO);
  auto output = duplicate(STDOUT_FILENO);
  if (!input || !output) {
    log_error("stdin and stdout are needed to serve MCP");
    return 255;
  }
  const auto served = mcp::serve({.version = YONDER_VERSION, .instructions = kInstructions},
                                 tools_for(engine, toolsets), *input, *output, CancelToken());
  if (served) return 0;
  log_error(served.error().message);
  return 255;
}

}  // namespace yonder::app
