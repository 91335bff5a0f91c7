#include "app/mcp_door.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "app/version.h"
#include "base/clean_text.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/interrupts.h"
#include "config/config_store.h"
#include "mcp/server.h"

namespace yonder::app {
namespace {

// What a model should know before it sees the tools. Some clients cut at 2 KB.
constexpr const char* kInstructions =
    "Yonder runs commands on other machines (sandboxes) over SSH. list_sandboxes shows them; "
    "select_sandbox chooses one for this session. exec_bash runs a command and waits for it; "
    "exec_bash_background starts long work that goes on without you: follow it with "
    "check_background_task (use wait_s and offset instead of polling), end it with "
    "stop_background_task, and find work of earlier sessions with list_background_tasks. Work "
    "survives lost connections. sync_local_to_remote and sync_remote_to_local move files; look at "
    "left_out, conflicts and complete, and follow a task_id with check_file_transfer_task. When a "
    "call returns running: true, pending: true, or state: unknown, ask again "
    "with only the run_id: never start the command a second time. left_running lists processes "
    "that outlived their command. If an error says auth_needed, ask the user to run the command in "
    "its hint; do not retry.";

std::vector<mcp::Tool> tools_for(ops::Engine& engine, std::vector<ops::Operation> operations,
                                 const std::vector<std::string>& toolsets) {
  std::vector<mcp::Tool> tools;
  for (auto& operation : operations) {
    if (std::find(toolsets.begin(), toolsets.end(), operation.toolset) == toolsets.end()) continue;
    auto call = [&engine, handler = operation.call](ops::CallContext& context,
                                                    const Json& arguments) {
      return handler(engine, context, arguments);
    };
    tools.push_back({.operation = std::move(operation), .call = std::move(call)});
  }
  return tools;
}

// A set that has no tools is a slip of the pen, or one of a later version: not to be passed over.
Result<void> check_toolsets(const std::vector<ops::Operation>& operations,
                            const std::vector<std::string>& toolsets) {
  std::vector<std::string> known;
  for (const auto& operation : operations) known.push_back(operation.toolset);
  for (const auto& set : toolsets) {
    if (std::find(known.begin(), known.end(), set) != known.end()) continue;
    std::sort(known.begin(), known.end());
    known.erase(std::unique(known.begin(), known.end()), known.end());
    return Error{Errc::Config, concat("there is no tool set '", printable(set), "'"),
                 concat("known: ", join(known, ", "))};
  }
  return {};
}

}  // namespace

int serve_mcp(ops::Engine& engine, const std::vector<std::string>& toolsets) {
  auto input = duplicate(STDIN_FILENO);
  auto output = duplicate(STDOUT_FILENO);
  if (!input || !output) {
    log_error("stdin and stdout are needed to serve MCP");
    return 255;
  }
  auto operations = ops::all_operations();
  if (const auto checked = check_toolsets(operations, toolsets); !checked) {
    log_error(checked.error().message, {{"hint", checked.error().hint}});
    return 255;
  }
  // A client that closes the input and is not patient sends a signal next, or several: they mean
  // the same. What was read is done, which has a limit of its own.
  const auto interrupts = cli::Interrupts::install([](int) {}, cli::LaterSignals::DoNothing);
  if (!interrupts) {
    log_error(interrupts.error().message);
    return 255;
  }
  // Read now, so that a file which is emptied or removed before the first call is missed. What is
  // wrong with the settings is said by the tools, which can be mended while we run.
  [[maybe_unused]] const bool known = engine.config.catalog().has_value();
  const auto served = mcp::serve({.version = this_build().version, .instructions = kInstructions},
                                 tools_for(engine, std::move(operations), toolsets), *input,
                                 *output, (*interrupts)->cancel());
  if (served) return 0;
  log_error(served.error().message);
  return 255;
}

}  // namespace yonder::app
