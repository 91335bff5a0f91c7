#include "ops/git_safety.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "base/text.h"

namespace yonder::ops {
namespace {

constexpr std::array<std::string_view, 6> kSettings{
    "core.fsmonitor=false",           "core.hooksPath=/dev/null", "safe.bareRepository=explicit",
    "core.alternateRefsCommand=true", "core.pager=cat",           "submodule.recurse=false",
};

// Where the user's own settings and git itself are, and where it looks for a repository.
constexpr std::array<std::string_view, 6> kHarmless{
    "GIT_CONFIG_GLOBAL=", "GIT_CONFIG_SYSTEM=",       "GIT_CONFIG_NOSYSTEM=",
    "GIT_EXEC_PATH=",     "GIT_CEILING_DIRECTORIES=", "GIT_DISCOVERY_ACROSS_FILESYSTEM="};

bool is_kept(std::string_view entry) {
  if (entry.starts_with("LC_ALL=")) return false;
  if (!entry.starts_with("GIT_")) return true;
  return std::any_of(kHarmless.begin(), kHarmless.end(),
                     [&](std::string_view name) { return entry.starts_with(name); });
}

}  // namespace

std::vector<std::string> safe_git_options() {
  std::vector<std::string> options;
  for (const auto& setting : kSettings) options.insert(options.end(), {"-c", std::string(setting)});
  return options;
}

std::vector<std::string> safe_git_environment(const std::vector<std::string>& environment) {
  std::vector<std::string> safe;
  std::copy_if(environment.begin(), environment.end(), std::back_inserter(safe), is_kept);
  // An empty list of protocols allows none: what a partial clone lacks is not fetched by a program
  // that its settings name.
  safe.insert(safe.end(), {"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
                           "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1"});
  return safe;
}

FilterOptions without_filters(const std::string& listed) {
  constexpr std::string_view kSection = "filter.";
  std::set<std::string> names;
  for (const auto& key : split(listed, '\0')) {
    const std::size_t dot = key.rfind('.');
    if (!key.starts_with(kSection) || dot < kSection.size()) continue;
    names.insert(key.substr(kSection.size(), dot - kSection.size()));
  }
  FilterOptions all;
  for (const auto& name : names) {
    if (name.find('=') != std::string::npos) {
      all.unspeakable = true;
      continue;
    }
    // With an empty `process`, git does not look at `clean` and `smudge` either.
    all.options.insert(all.options.end(), {"-c", concat(kSection, name, ".process="), "-c",
                                           concat(kSection, name, ".required=false")});
  }
  return all;
}

}  // namespace yonder::ops
