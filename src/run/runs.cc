#include "run/runs.h"

#include "run/following.h"

namespace yonder::run {
namespace {

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

wire::StartRequest to_wire(const RunId& id, const RunRequest& request, const WaitOptions& options) {
  wire::StartRequest start{.run_id = id.str(),
                           .key = request.key,
                           .command = request.command,
                           .argv = request.argv,
                           .cwd = request.cwd.value_or(""),
                           .env = request.env,
                           .login = request.login,
                           .grace_ms = milliseconds(request.grace),
                           .keep_ms = milliseconds(options.keep)};
  if (request.timeout) start.timeout_ms = milliseconds(*request.timeout);
  if (options.input) {
    start.stdin_mode = wire::StdinMode::Whole;
    start.input = *options.input;
  } else if (options.input_fd >= 0) {
    start.stdin_mode = wire::StdinMode::Stream;
  }
  return start;
}

}  // namespace

Result<Outcome> Runs::start(const SandboxSpec& sandbox, const RunRequest& request,
                            const WaitOptions& options, const Listener& listener) {
  const RunId id = new_run_id();
  return Following(links_, sandbox, options, listener).run(id, to_wire(id, request, options));
}

Result<Outcome> Runs::attach(const SandboxSpec& sandbox, const RunId& id,
                             const WaitOptions& options, const Listener& listener) {
  return Following(links_, sandbox, options, listener).run(id, std::nullopt);
}

}  // namespace yonder::run
