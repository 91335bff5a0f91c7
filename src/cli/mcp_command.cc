#include "cli/commands.h"

namespace yonder::cli {

// Everything else about it belongs to the server: stdout is the protocol's from here on.
int mcp_command(const McpOptions& options, const Doors& doors) {
  return doors.serve_mcp(options);
}

}  // namespace yonder::cli
