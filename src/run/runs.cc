#include "run/runs.h"

#include "run/following.h"

namespace yonder::run {
namespace {

wire::StartRequest to_wire(const RunId& id, const RunRequest& request, const WaitOptions& options) {
  wire::StartRequest start{.run_id = id.str(),
                           .key = request.key,
                           .command = request.command,
                           .argv = request.argv,
                           .cwd = request.cwd.value_or(""),
                           .env = request.env,
                           .login = request.login,
                           .grace_ms = to_milliseconds(request.grace),
                           .keep_ms = to_milliseconds(options.keep),
                           .gpus = request.gpus,
                           .gpu_memory_mb = request.gpu_memory_mb,
                           .gpu_queue = request.gpu_queue};
  if (request.gpu_queue_limit) start.gpu_queue_ms = to_milliseconds(*request.gpu_queue_limit);
  if (request.timeout) start.timeout_ms = to_milliseconds(*request.timeout);
  if (options.input) {
    start.stdin_mode = wire::StdinMode::Whole;
    start.input = *options.input;
  } else if (options.input_fd >= 0) {
    start.stdin_mode = wire::StdinMode::Stream;
  }
  return start;
}

// For the way there and back, and for a link that has to be opened first.
constexpr auto kReachTime = std::chrono::seconds(40);
// Beyond the grace: KILL, and a look at what is left.
constexpr auto kStopTime = std::chrono::seconds(20);

Deadline in(std::optional<std::int64_t> wait_ms, Duration slack) {
  return Deadline::after(std::chrono::milliseconds(wait_ms.value_or(0)) + slack);
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

Result<Outcome> Runs::start_background(const SandboxSpec& sandbox, const RunId& id,
                                       const RunRequest& request, const BackgroundOptions& options,
                                       const Listener& listener) {
  const WaitOptions wait{
      .wait = options.wait, .bounds = Bounds{}, .keep = options.keep, .until_begun = true};
  wire::StartRequest start = to_wire(id, request, wait);
  start.background = true;
  start.session = options.session;
  start.log_file = options.log_file;
  start.description = options.description;
  start.launcher = options.launcher;
  start.tmux = options.tmux;
  return Following(links_, sandbox, wait, listener).run(id, start);
}

Result<Runs::Asked> Runs::ask(const SandboxSpec& sandbox,
                              const std::function<wire::AnyRequest()>& next,
                              const link::AcquireOptions& options) {
  bool again = false;
  while (true) {
    link::AcquireOptions reach = options;
    reach.keep_trying = options.keep_trying || again;
    TRY_ASSIGN(const auto link, links_.acquire(sandbox, reach));
    auto reply = link->ask(next(), options.deadline, options.cancel);
    if (reply) return Asked{*std::move(reply), again};
    if (reply.error().code != Errc::LinkLost) return std::move(reply).error();
    again = true;
  }
}

Result<wire::LogReply> Runs::read_log(const SandboxSpec& sandbox, wire::ReadLogRequest request,
                                      bool patient, const CancelToken& cancel) {
  const Deadline wait = in(request.wait_ms, Duration::zero());
  const auto next = [&] {
    if (request.wait_ms) request.wait_ms = to_milliseconds(wait.remaining());
    return wire::AnyRequest(request);
  };
  const Deadline deadline = patient ? Deadline::never() : in(request.wait_ms, kReachTime);
  TRY_ASSIGN(const Asked asked,
             ask(sandbox, next, {.deadline = deadline, .cancel = cancel, .keep_trying = patient}));
  return wire::decode_log(asked.cbor);
}

Result<wire::ListReply> Runs::list(const SandboxSpec& sandbox, const wire::ListRequest& request,
                                   const Deadline& deadline, const CancelToken& cancel) {
  const auto next = [&] { return wire::AnyRequest(request); };
  TRY_ASSIGN(const Asked asked, ask(sandbox, next, {.deadline = deadline, .cancel = cancel}));
  return wire::decode_list(asked.cbor);
}

Result<wire::RunFacts> Runs::stop(const SandboxSpec& sandbox, const wire::StopRequest& request,
                                  bool& lost, const CancelToken& cancel) {
  int times = 0;
  const auto next = [&] {
    ++times;
    return wire::AnyRequest(request);
  };
  auto asked = ask(sandbox, next,
                   {.deadline = in(request.grace_ms, kReachTime + kStopTime), .cancel = cancel});
  // A far side that answers with an error has done nothing; silence, or a second try, proves less.
  lost = !asked && (times > 1 || (times == 1 && asked.error().code == Errc::Timeout) ||
                    (times == 1 && asked.error().code == Errc::Cancelled));
  if (!asked) return std::move(asked).error();
  auto decoded = wire::decode_facts(asked->cbor);
  lost = !decoded;  // it was heard, and what came of it cannot be read
  if (!decoded) return std::move(decoded).error();
  wire::RunFacts facts = *std::move(decoded);
  // What a second try finds ended may have been ended by the first.
  if (times > 1) facts.existed = false;
  return facts;
}

Result<wire::RunFacts> Runs::remove(const SandboxSpec& sandbox, const RunId& id,
                                    const CancelToken& cancel) {
  const auto next = [&] { return wire::AnyRequest(wire::RemoveRequest{.run_id = id.str()}); };
  TRY_ASSIGN(const Asked asked,
             ask(sandbox, next, {.deadline = Deadline::after(kReachTime), .cancel = cancel}));
  return wire::decode_facts(asked.cbor);
}

}  // namespace yonder::run
