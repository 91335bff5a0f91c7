#include "ops/sync_places.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::ops {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 29> kBelowHome{".ssh",
                                                      ".gnupg",
                                                      ".aws",
                                                      ".azure",
                                                      ".kube",
                                                      ".docker",
                                                      ".oci",
                                                      ".config/gcloud",
                                                      ".config/gh",
                                                      ".config/hub",
                                                      ".config/rclone",
                                                      ".config/sops",
                                                      ".config/op",
                                                      ".config/yonder",
                                                      ".password-store",
                                                      ".local/share/keyrings",
                                                      ".local/share/kwalletd",
                                                      "Library/Keychains",
                                                      ".netrc",
                                                      ".pgpass",
                                                      ".my.cnf",
                                                      ".npmrc",
                                                      ".pypirc",
                                                      ".git-credentials",
                                                      ".vault-token",
                                                      ".terraform.d/credentials.tfrc.json",
                                                      ".cargo/credentials.toml",
                                                      ".claude/.credentials.json",
                                                      ".codex/auth.json"};

bool is_or_lies_in(std::string_view path, std::string_view place) {
  if (place == "/") return path.starts_with('/');
  if (!path.starts_with(place)) return false;
  return path.size() == place.size() || path[place.size()] == '/';
}

// The path as a pattern that means this path only.
std::string as_pattern(std::string_view below) {
  std::string pattern = "/";
  for (const char c : below) {
    if (std::string_view("\\*?[]!# ").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c;
  }
  return pattern;
}

Result<void> check_allowed(const PlaceQuestion& question) {
  const auto& allow = question.settings.allow;
  if (!question.by_agent || !allow) return {};
  const bool named = std::any_of(allow->begin(), allow->end(), [&](const std::string& place) {
    return is_or_lies_in(question.path, real_path(place));
  });
  if (named) return {};
  return Error{Errc::InvalidArgument,
               concat("'", printable(question.path), "' may not be synced by agents"),
               allow->empty() ? "[sync] allow in config.toml names no place"
                              : concat("[sync] allow in config.toml names: ", join(*allow, ", "))};
}

}  // namespace

std::string real_path(const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::weakly_canonical(path, failed);
  std::string text = failed ? fs::path(path).lexically_normal().string() : real.string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

std::vector<std::string> secret_places(const OwnPlaces& own) {
  std::vector<std::string> places;
  if (!own.home.empty()) {
    for (const auto name : kBelowHome) places.push_back(real_path(concat(own.home, "/", name)));
  }
  if (!own.state_directory.empty()) places.push_back(real_path(own.state_directory));
  if (!own.config_file.empty()) places.push_back(real_path(own.config_file));
  return places;
}

Result<std::vector<std::string>> judge_place(const PlaceQuestion& question) {
  TRY(check_allowed(question));
  std::vector<std::string> forbidden;
  if (question.settings.allow_secrets) return forbidden;
  for (const auto& place : question.secrets) {
    if (is_or_lies_in(question.path, place)) {
      return Error{Errc::InvalidArgument,
                   concat("'", printable(question.path), "' usually holds secrets (",
                          printable(place), "), and is not synced"),
                   "if it must be, the person here can set allow_secrets = true in [sync] of "
                   "config.toml"};
    }
    if (!is_or_lies_in(place, question.path)) continue;
    const std::size_t skip = question.path == "/" ? 1 : question.path.size() + 1;
    forbidden.push_back(as_pattern(std::string_view(place).substr(skip)));
  }
  return forbidden;
}

}  // namespace yonder::ops
