#include <signal.h>
#include <unistd.h>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/find_runs.h"
#include "cli/people_progress.h"
#include "cli/render.h"
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

Result<std::vector<std::string>> words_for(const AttachOptions& options, const Doors& doors) {
  TRY_ASSIGN(ops::Engine * engine, doors.engine());
  TRY(check_terminal(options, *engine));
  ops::Session session;
  ops::CallContext context{.session = session, .progress = people_progress()};
  TRY_ASSIGN(const auto runs, find_runs(*engine, session, options.which));
  TRY_ASSIGN(auto words, ops::attach_words(*engine, context, runs.front()));
  if (words.empty()) return Error{Errc::Internal, "there is nothing to attach with", ""};
  return words;
}

// Returns only when it fails.
Error become(const std::vector<std::string>& words) {
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (const auto& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::signal(SIGPIPE, SIG_DFL);  // what we ignore, the next program would ignore too
  ::execvp(argv[0], argv.data());
  return errno_error(concat("cannot start ", printable(words.front())));
}

}  // namespace

int attach_command(const AttachOptions& options, const Doors& doors) {
  const auto words = words_for(options, doors);
  if (words && options.which.json) {
    return print_json(Json{{"argv", *words}}) ? kExitSuccess : kExitReaderGone;
  }
  show_failure(words ? become(*words) : words.error(), format_of(options.which.json));
  return kExitFailure;
}

}  // namespace yonder::cli
