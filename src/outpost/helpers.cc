#include "outpost/helpers.h"

#include <cstdlib>
#include <string_view>

#include "outpost/command_process.h"
#include "outpost/launcher.h"
#include "outpost/run_record.h"
#include "outpost/viewer.h"

namespace yonder::outpost {

std::optional<int> run_as_helper(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "enter" && argc == 3) return enter_command(RunRecord(argv[2]));
  if (verb == "supervise" && argc == 5) {
    return supervise_in_scope(RunRecord(argv[2]), Fd(std::atoi(argv[3])), Fd(std::atoi(argv[4])));
  }
  if (verb == "show" && (argc == 3 || argc == 4)) {
    return show_run(RunRecord(argv[2]), argc == 4 ? argv[3] : "");
  }
  return std::nullopt;
}

}  // namespace yonder::outpost
