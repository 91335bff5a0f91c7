#include "chaos/leaving.h"

#include "base/patience_test.h"
#include "base/text.h"
#include "e2e/mcp_client.h"

namespace yonder::chaos {

void ask_and_leave(Stage& stage, const char* tool, const Json& arguments,
                   const std::string& fault) {
  auto client = e2e::McpClient::start(stage.world.environment);
  if (!client) {
    return stage.tally.wrong(Wrong::Answer, "yonder mcp did not start: " + client.error().message);
  }
  (*client)->call_async(tool, arguments);
  stage.tally.fault(fault);
  if (!(*client)->close(testing::patience())) {
    stage.tally.wrong(Wrong::Answer,
                      concat("yonder mcp did not end after its client had left behind a ", tool));
  }
}

}  // namespace yonder::chaos
