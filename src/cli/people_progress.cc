#include "cli/people_progress.h"

#include <memory>

#include "base/guarded.h"
#include "base/log.h"
#include "cli/render.h"

namespace yonder::cli {

ops::ProgressSink people_progress() {
  const auto last = std::make_shared<Guarded<std::string>>();
  return [last](const std::string& text) {
    log_info(text);
    if (!text.starts_with("putting ") || !stderr_is_terminal()) return;
    const bool is_new = last->with([&](std::string& said) {
      if (said == text) return false;
      said = text;
      return true;
    });
    if (is_new) say(text);
  };
}

}  // namespace yonder::cli
