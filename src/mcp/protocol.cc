#include "mcp/protocol.h"

#include <array>
#include <utility>

namespace yonder::mcp {
namespace {

constexpr std::array<std::pair<Version, std::string_view>, 4> kNames{{
    {Version::V2024_11_05, "2024-11-05"},
    {Version::V2025_03_26, "2025-03-26"},
    {Version::V2025_06_18, "2025-06-18"},
    {Version::V2025_11_25, "2025-11-25"},
}};

}  // namespace

std::string_view name_of(Version version) {
  for (const auto& [known, name] : kNames) {
    if (known == version) return name;
  }
  return "";
}

std::optional<Version> version_from_name(std::string_view name) {
  for (const auto& [version, known] : kNames) {
    if (known == name) return version;
  }
  return std::nullopt;
}

Version negotiate(std::string_view requested) {
  return version_from_name(requested).value_or(kNewestVersion);
}

Era era_of(const Json& params) {
  if (!params.is_object()) return Era::Legacy;
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return Era::Legacy;
  return meta->contains("io.modelcontextprotocol/protocolVersion") ? Era::Modern : Era::Legacy;
}

}  // namespace yonder::mcp
