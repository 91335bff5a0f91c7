#include "cli/commands.h"
#include "cli/completion_script.h"
#include "cli/exit_status.h"
#include "cli/render.h"

namespace yonder::cli {

int completion_command(const CompletionOptions& options) {
  const bool written = print(completion_script(options.shell, command_shapes()));
  return written ? kExitSuccess : kExitReaderGone;
}

}  // namespace yonder::cli
