#include <unistd.h>

#include "base/clean_text.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/find_runs.h"
#include "cli/people_progress.h"
#include "cli/render.h"
#include "cli/unreached.h"
#include "ops/tasks.h"

namespace yonder::cli {
namespace {

Result<void> check_terminal(const AttachOptions& options, const ops::Engine& engine) {
  if (options.which.json) return {};
  if (screen(engine.environment).terminal && ::isatty(STDIN_FILENO) == 1) return {};
  const std::string& run = options.which.runs.front();
  return Error{Errc::InvalidArgument, "attach needs a terminal, and this is none",
               concat("to read what it prints: yonder logs -f ", printable(run))};
}

Result<SpawnOptions> words_for(const AttachOptions& options, const Doors& doors) {
  TRY_ASSIGN(ops::Engine * engine, doors.engine());
  TRY(check_terminal(options, *engine));
  ops::Session session;
  ops::CallContext context{.session = session, .progress = people_progress()};
  TRY_ASSIGN(const auto runs, find_runs(*engine, session, options.which));
  auto words = ops::attach_words(*engine, context, runs.front());
  if (!words) return unreached(*engine, runs.front(), std::move(words).error(), "yonder attach");
  if (words->argv.empty()) return Error{Errc::Internal, "there is nothing to attach with", ""};
  return words;
}

}  // namespace

int attach_command(const AttachOptions& options, const Doors& doors) {
  const auto words = words_for(options, doors);
  if (words && options.which.json) {
    return print_json_then(Json{{"argv", words->argv}});
  }
  show_failure(words ? become_program(*words) : words.error(), format_of(options.which.json));
  return kExitFailure;
}

}  // namespace yonder::cli
