#include "ops/login.h"

#include "base/text.h"
#include "link/link_pool.h"
#include "ops/resolve.h"
#include "sandbox/kept_login.h"

namespace yonder::ops {

Result<LoginResult> login(Engine& engine, CallContext& context, const std::string& sandbox) {
  TRY_ASSIGN(const SandboxSpec spec, resolve_sandbox(engine, context.session, sandbox));
  LoginResult result{.sandbox = spec.name};
  const auto began = std::chrono::steady_clock::now();
  if (spec.backend == Backend::Ssh) {
    if (engine.logins.exists(spec)) TRY(engine.logins.close(spec));
    context.progress(concat("logging in to ", spec.name));
    TRY_ASSIGN(result.kept_by, engine.logins.open(spec, context.cancel));
  }
  engine.links.forget_failures(spec);
  // A login that cannot run a command is none: bring the outpost up through it.
  TRY(engine.links.acquire(spec, {.deadline = Deadline::after(spec.connect_timeout),
                                  .cancel = context.cancel,
                                  .progress = context.progress}));
  result.seconds = to_seconds(std::chrono::steady_clock::now() - began);
  return result;
}

Result<void> logout(Engine& engine, CallContext& context, const std::string& sandbox) {
  TRY_ASSIGN(const SandboxSpec spec, resolve_sandbox(engine, context.session, sandbox));
  return engine.logins.close(spec);
}

}  // namespace yonder::ops
