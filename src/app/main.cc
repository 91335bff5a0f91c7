#include <signal.h>
#include <unistd.h>

#include <exception>
#include <memory>

#include "app/handed_over.h"
#include "app/mcp_door.h"
#include "app/runtime.h"
#include "app/version.h"
#include "base/environment.h"
#include "base/log.h"
#include "base/text.h"
#include "cli/cli.h"

extern char** environ;

namespace yonder::app {
namespace {

constexpr int kOwnFailure = 255;

std::vector<std::string> environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

// The command line's choice, else the environment's, else the default.
std::vector<std::string> toolsets(const cli::McpOptions& options) {
  if (!options.toolsets.empty()) return options.toolsets;
  const std::string chosen = yonder::environment("YONDER_TOOLSETS");
  if (chosen.empty()) return {"core"};
  return split(chosen, ',');
}

int run(int argc, char** argv) {
  if (const auto status = link::run_as_askpass(argc, argv)) return *status;
  ::signal(SIGPIPE, SIG_IGN);  // a closed pipe is an error of a write, not our end
  std::unique_ptr<Runtime> runtime;
  const auto build = [&](bool ask_at_terminal,
                         const std::vector<std::string>& secrets = {}) -> Result<Runtime*> {
    if (!runtime) {
      auto variables = environment();
      variables.insert(variables.end(), secrets.begin(), secrets.end());
      TRY_ASSIGN(runtime, Runtime::create(variables, ask_at_terminal));
    }
    return runtime.get();
  };
  const auto engine = [&](bool ask_at_terminal) -> Result<ops::Engine*> {
    TRY_ASSIGN(Runtime * built, build(ask_at_terminal));
    return &built->engine();
  };
  return cli::run(argc, argv,
                  {.build = this_build(),
                   .engine = [&] { return engine(true); },
                   .silent_engine = [&] { return engine(false); },
                   .worker_engine = [&]() -> Result<ops::Engine*> {
                     TRY_ASSIGN(const auto secrets, take_secrets_from_stdin());
                     TRY_ASSIGN(Runtime * built, build(false, secrets));
                     return &built->engine();
                   },
                   .serve_mcp =
                       [&](const cli::McpOptions& options) {
                         auto built = build(false);
                         if (!built) {
                           log_error(built.error().message, {{"hint", built.error().hint}});
                           return kOwnFailure;
                         }
                         return serve_mcp((*built)->engine(), toolsets(options));
                       }});
}

}  // namespace
}  // namespace yonder::app

int main(int argc, char** argv) {
  try {
    return yonder::app::run(argc, argv);
  } catch (const std::exception& e) {
    yonder::log_error("unexpected failure", {{"what", e.what()}});
    return 255;
  }
}
