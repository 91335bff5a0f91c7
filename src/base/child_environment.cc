#include "base/child_environment.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace yonder {
namespace {

std::string_view name_of(std::string_view entry) {
  return entry.substr(0, entry.find('='));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

bool is_secret_variable(std::string_view name) {
  if (name == "REMOTE_SANDBOX_LIST" || name.starts_with("YONDER_ASKPASS_")) return true;
  // By what the name says, and not only those that are read: a slip of the pen is a password too.
  constexpr std::array<std::string_view, 3> kFamilies{"REMOTE_", "SSH_", "YONDER_"};
  const bool ours = std::any_of(kFamilies.begin(), kFamilies.end(),
                                [&](std::string_view family) { return name.starts_with(family); });
  return ours &&
         (contains(name, "PASSW") || contains(name, "PASSPHRASE") || name.ends_with("_PASS"));
}

std::vector<std::string> without_secrets(std::vector<std::string> environment) {
  std::erase_if(environment,
                [](std::string_view entry) { return is_secret_variable(name_of(entry)); });
  return environment;
}

Secret pack_secrets(const std::vector<std::string>& environment) {
  std::string packed;
  for (const auto& entry : environment) {
    if (is_secret_variable(name_of(entry))) packed.append(entry).push_back('\0');
  }
  packed.push_back('\0');
  return Secret(std::move(packed));
}

Result<std::vector<std::string>> unpack_secrets(std::string_view packed) {
  const bool whole =
      packed == std::string_view("\0", 1) || packed.ends_with(std::string("\0\0", 2));
  if (!whole) return Error{Errc::Protocol, "what was handed over is not whole", ""};
  std::vector<std::string> entries;
  for (const auto& entry : split(packed, '\0')) {
    if (is_secret_variable(name_of(entry))) entries.push_back(entry);
  }
  return entries;
}

}  // namespace yonder
