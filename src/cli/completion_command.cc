#include "cli/commands.h"
#include "cli/completion_script.h"
#include "cli/render.h"

namespace yonder::cli {

int completion_command(const CompletionOptions& options) {
  return print_then(completion_script(options.shell, command_shapes()));
}

}  // namespace yonder::cli
