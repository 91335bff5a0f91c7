#include "ops/login.h"

#include "base/quote.h"
#include "base/text.h"
#include "link/connect_error.h"
#include "link/link_pool.h"
#include "ops/resolve.h"
#include "sandbox/kept_login.h"

namespace yonder::ops {
namespace {

// A login that cannot run a command is none: brings the outpost up through it.
Result<void> use(Engine& engine, CallContext& context, const SandboxSpec& spec) {
  engine.links.forget_failures(spec);
  TRY(engine.links.acquire(spec, {.deadline = Deadline::after(spec.connect_timeout),
                                  .cancel = context.cancel,
                                  .progress = context.progress}));
  return {};
}

Error cancelled() {
  return {Errc::Cancelled, "the login was cancelled", ""};
}

// To log in is what the caller just tried.
Error without_own_name(Error error, const SandboxSpec& spec) {
  const std::string command = link::login_command(spec);
  if (error.hint.find(": " + command) != std::string::npos) {
    error.hint = error.code == Errc::HostKey
                     ? "look at the key, and answer yes only when it is the machine's own"
                     : ShellText("look closer with: yonder doctor").arg(spec.name).str();
  }
  return error;
}

}  // namespace

Result<LoginResult> login(Engine& engine, CallContext& context, const std::string& sandbox) {
  TRY_ASSIGN(const SandboxSpec spec, resolve_sandbox(engine, context.session, sandbox));
  LoginResult result{.sandbox = spec.name};
  const auto began = std::chrono::steady_clock::now();
  if (spec.backend == Backend::Ssh) {
    // One that works is worth more than a new one that may not come about.
    if (engine.logins.stands(spec) && use(engine, context, spec)) {
      result.was_kept = true;
      return result;
    }
    if (context.cancel.cancelled()) return cancelled();
    if (engine.logins.exists(spec)) TRY(engine.logins.close(spec));
    context.progress(concat("logging in to ", spec.name));
    auto opened = engine.logins.open(spec, context.cancel);
    if (!opened) return without_own_name(std::move(opened).error(), spec);
    result.kept_by = *std::move(opened);
  }
  auto used = use(engine, context, spec);
  if (context.cancel.cancelled()) {
    // Whoever gives up a login does not want it later either.
    if (!result.kept_by.empty()) TRY(engine.logins.close(spec));
    return cancelled();
  }
  if (!used) {
    return without_own_name(std::move(used).error(), spec);
  }
  result.seconds = to_seconds(std::chrono::steady_clock::now() - began);
  return result;
}

Result<void> logout(Engine& engine, CallContext& context, const std::string& sandbox) {
  TRY_ASSIGN(const SandboxSpec spec, resolve_sandbox(engine, context.session, sandbox));
  return engine.logins.close(spec);
}

}  // namespace yonder::ops
