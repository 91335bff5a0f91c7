#include "cli/report.h"

#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/render.h"

namespace yonder::cli {

std::string about_run(const std::string& run, const Error& error) {
  return concat(run, ": ", error.message, error.hint.empty() ? "" : concat("; ", error.hint));
}

int show(const Report& report) {
  const bool written = print(report.out);
  for (const auto& message : report.messages) say(message);
  if (stderr_is_terminal()) {
    for (const auto& note : report.notes) say(note);
  }
  return written ? report.status : kExitReaderGone;
}

}  // namespace yonder::cli
