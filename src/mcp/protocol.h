#pragma once

#include <optional>
#include <string_view>

#include "base/json.h"

namespace yonder::mcp {

// The revisions that open with `initialize`, oldest first, so that "since" is a comparison.
enum class Version { V2024_11_05, V2025_03_26, V2025_06_18, V2025_11_25 };
inline constexpr Version kNewestVersion = Version::V2025_11_25;

std::string_view name_of(Version version);
std::optional<Version> version_from_name(std::string_view name);
// What the client asked for if we speak it, else our newest: the client then decides.
Version negotiate(std::string_view requested);

// What each revision brought. Older clients do not get what they cannot know.
inline bool has_annotations(Version version) {
  return version >= Version::V2025_03_26;
}
inline bool has_progress_message(Version version) {
  return version >= Version::V2025_03_26;
}
// Titles, output schemas and structured results came together.
inline bool has_structured_output(Version version) {
  return version >= Version::V2025_06_18;
}
// Batches came with one revision and were taken back by the next.
inline bool has_batches(Version version) {
  return version == Version::V2025_03_26;
}

// From 2026-07-28 on there is no `initialize`: every request says its version in `_meta`. The
// request's own body decides, so that one process can serve both kinds.
enum class Era { Legacy, Modern };
Era era_of(const Json& params);

}  // namespace yonder::mcp
