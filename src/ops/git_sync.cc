#include "ops/git_sync.h"

#include "base/clean_text.h"
#include "ops/git_sync_work.h"
#include "ops/patience.h"
#include "ops/resolve.h"
#include "ops/sync.h"
#include "ops/transfers.h"

namespace yonder::ops {
namespace {

Result<GitSyncResponse> hand_over(Engine& engine, CallContext& context,
                                  const GitSyncRequest& request, const std::string& why) {
  TRY_ASSIGN(const GitSyncRequest rest, GitSync(engine, context, request).request_for_worker());
  TRY_ASSIGN(TransferStarted started, start_transfer(engine, rest));
  started.auto_switched = !why.empty();
  started.why = why;
  GitSyncResponse response{.status = "queued",
                           .sandbox = rest.sandbox,
                           .remote_path = printable(rest.remote_path),
                           .new_commit = rest.commit,
                           .branch = rest.branch,
                           .via = rest.via,
                           .transfer = std::move(started)};
  if (!why.empty()) response.warnings.push_back(why);
  return response;
}

// As long as the caller waits. What is cut off then is as if it had not begun, for git over there
// takes a pack whole or not at all; or it is the checkout, which goes on, and is waited for by
// whoever comes next.
Result<GitSyncResponse> sync_within(Engine& engine, CallContext& context,
                                    const GitSyncRequest& request) {
  const auto began = std::chrono::steady_clock::now();
  const Patience patience(context, request.wait);
  // Also for a client who goes away: a pack on its way is stopped before another process begins.
  CallContext waiting{
      .session = context.session, .cancel = patience.token(), .progress = context.progress};
  auto response = GitSync(engine, waiting, request, &patience).run();
  if (response || !patience.over() || context.cancel.cancelled()) return response;
  const Errc code = response.error().code;
  if (code != Errc::Cancelled && code != Errc::LinkLost) return response;
  GitSyncRequest rest = request;
  if (rest.timeout) *rest.timeout -= std::chrono::steady_clock::now() - began;
  return hand_over(engine, context, rest, patience.why());
}

}  // namespace

Result<GitSyncResponse> git_sync(Engine& engine, CallContext& context,
                                 const GitSyncRequest& request) {
  TRY(check_git_sync_request(request));
  GitSyncRequest asked = request;
  TRY_ASSIGN(const SandboxSpec sandbox, resolve_sandbox(engine, context.session, request.sandbox));
  asked.sandbox = sandbox.name;
  if (asked.background) return hand_over(engine, context, asked, "");
  if (asked.wait) return sync_within(engine, context, asked);
  return GitSync(engine, context, asked).run();
}

}  // namespace yonder::ops
