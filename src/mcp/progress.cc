#include "mcp/progress.h"

#include "mcp/json_rpc.h"

namespace yonder::mcp {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(200);

}  // namespace

void ProgressReporter::report(const std::string& message, Instant now) {
  if (token_.is_null() || cancel_.cancelled()) return;
  // Sending under this lock keeps the numbers in order and a late message behind close(). Only this
  // call's own threads ever wait for it.
  state_.with([&](State& state) {
    if (state.closed || (state.sent > 0 && now - state.last_sent < kPause)) return;
    state.last_sent = now;
    output_.send(render(++state.sent, message));
  });
}

void ProgressReporter::close() {
  state_.with([](State& state) { state.closed = true; });
}

// How much there is to do is not known, so progress just counts: it must grow each time.
Json ProgressReporter::render(std::int64_t progress, const std::string& message) const {
  Json params{{"progressToken", token_}, {"progress", progress}};
  if (has_progress_message(version_)) params["message"] = message;
  return notification("notifications/progress", std::move(params));
}

Json progress_token(const Json& params) {
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return nullptr;
  const auto token = meta->find("progressToken");
  if (token == meta->end()) return nullptr;
  return token->is_string() || token->is_number_integer() ? *token : Json(nullptr);
}

}  // namespace yonder::mcp
