#include "cli/report.h"

#include "base/text.h"
#include "cli/render.h"

namespace yonder::cli {

std::string about_run(const std::string& run, const Error& error) {
  return concat(run, ": ", error.message, error.hint.empty() ? "" : concat("; ", error.hint));
}

int show(const Report& report) {
  const int status = print_then(report.out, report.status, report.if_unwritten);
  for (const auto& message : report.messages) say(message);
  if (stderr_is_terminal()) {
    for (const auto& note : report.notes) say(note);
  }
  return status;
}

}  // namespace yonder::cli
