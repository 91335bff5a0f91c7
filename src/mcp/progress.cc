#include "mcp/progress.h"

#include <algorithm>
#include <cmath>

#include "mcp/json_rpc.h"

namespace yonder::mcp {
namespace {

constexpr Duration kPause = std::chrono::milliseconds(200);

// So much it grows where nothing has been done since the last message.
constexpr double kStep = 0.001;

// It must grow each time. Where nobody knows how much there is to do, it just counts.
double next_number(double last, const ops::Measure* measure) {
  if (measure == nullptr) return std::floor(last) + 1;
  const auto done = static_cast<double>(measure->done);
  return done > last ? done : last + kStep;
}

Json number_json(double number) {
  const auto whole = static_cast<std::int64_t>(number);
  return static_cast<double>(whole) == number ? Json(whole) : Json(number);
}

}  // namespace

void ProgressReporter::report(const std::string& message, Instant now) {
  send(message, nullptr, now);
}

void ProgressReporter::report(const std::string& message, const ops::Measure& measure,
                              Instant now) {
  send(message, &measure, now);
}

void ProgressReporter::send(const std::string& message, const ops::Measure* measure, Instant now) {
  if (token_.is_null() || cancel_.cancelled()) return;
  // Sending under this lock keeps the numbers in order and a late message behind close(). Only this
  // call's own threads ever wait for it.
  state_.with([&](State& state) {
    if (state.closed || (state.began && now - state.last_sent < kPause)) return;
    state.began = true;
    state.last_sent = now;
    state.sent = next_number(state.sent, measure);
    output_.send(render(state.sent, measure, message));
  });
}

void ProgressReporter::close() {
  state_.with([](State& state) { state.closed = true; });
}

Json ProgressReporter::render(double progress, const ops::Measure* measure,
                              const std::string& message) const {
  Json params{{"progressToken", token_}, {"progress", number_json(progress)}};
  if (measure != nullptr) {
    params["total"] = std::max(measure->total, static_cast<std::uint64_t>(std::ceil(progress)));
  }
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
