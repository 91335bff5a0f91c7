#include "cli/unreached.h"

#include "base/clock.h"
#include "base/text.h"
#include "cli/one_line.h"
#include "cli/outcome.h"
#include "cli/run_words.h"
#include "ops/last_seen.h"

namespace yonder::cli {

std::string last_seen_text(const std::string& state, std::int64_t at_ms, std::int64_t now_ms) {
  if (state.empty() || at_ms <= 0) return {};
  return concat("last seen ", one_line(state), ", ", ago(at_ms, now_ms));
}

Error unreached(ops::Engine& engine, const ops::TaskRef& run, Error error,
                const std::string& command) {
  const bool unreachable = error.code == Errc::Unreachable || error.code == Errc::LinkLost ||
                           error.code == Errc::Timeout;
  if (!unreachable) return error;
  const auto id = parse_run_id(run.run_id);
  const auto last = id ? ops::last_seen(engine, *id) : std::nullopt;
  const std::string seen =
      last ? last_seen_text(last->state, last->at_ms, wall_clock_ms()) : std::string();
  error.message += concat(seen.empty() ? "" : "; ", seen);
  const std::string again = concat("again with: ", command, " ", name_of(run));
  error.hint = error.hint.empty() ? "try " + again : concat(error.hint, "; then ", again);
  return error;
}

}  // namespace yonder::cli
