#include <charconv>

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/sync.h"

namespace yonder::ops {
namespace {

// The last one that is set to something.
Result<void> read_limit(const std::vector<std::string>& environment, const std::string& name,
                        std::uint64_t& limit) {
  const std::string start = name + "=";
  for (const auto& entry : environment) {
    if (!entry.starts_with(start) || entry.size() == start.size()) continue;
    const std::string text(trim(std::string_view(entry).substr(start.size())));
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, limit);
    if (parsed.ec == std::errc() && parsed.ptr == end) continue;
    return Error{Errc::Config, concat(name, " must be a whole number, not '", printable(text), "'"),
                 "0 sends every sync that has something to do to the background"};
  }
  return {};
}

}  // namespace

Result<InlineLimits> inline_limits(const std::vector<std::string>& environment) {
  InlineLimits limits;
  for (const std::string prefix : {"REMOTE_SANDBOX_", "YONDER_"}) {
    TRY(read_limit(environment, prefix + "INLINE_SYNC_MAX_FILES", limits.files));
    TRY(read_limit(environment, prefix + "INLINE_SYNC_MAX_BYTES", limits.bytes));
  }
  return limits;
}

bool is_too_large(const sync::Counts& counts, const InlineLimits& limits) {
  return counts.files() > limits.files || counts.bytes > limits.bytes;
}

}  // namespace yonder::ops
