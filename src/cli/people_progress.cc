#include "cli/people_progress.h"

#include <chrono>
#include <memory>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/log.h"
#include "cli/render.h"

namespace yonder::cli {
namespace {

// Before that a connection is not worth a word.
constexpr auto kQuietStart = std::chrono::milliseconds(1500);

}  // namespace

ops::ProgressSink people_progress() {
  const Instant began = std::chrono::steady_clock::now();
  const auto last = std::make_shared<Guarded<std::string>>();
  return [began, last](const std::string& text) {
    log_info(text);
    const bool slow = std::chrono::steady_clock::now() - began > kQuietStart;
    const bool worth_it = text.starts_with("putting ") || (slow && text.starts_with("connecting "));
    if (!worth_it || !stderr_is_terminal()) return;
    const bool is_new = last->with([&](std::string& said) {
      if (said == text) return false;
      said = text;
      return true;
    });
    if (is_new) say(text);
  };
}

}  // namespace yonder::cli
