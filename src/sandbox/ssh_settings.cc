#include "sandbox/ssh_settings.h"

#include <array>

#include "base/subprocess.h"
#include "base/text.h"

namespace yonder::sandbox {
namespace {

constexpr auto kLimit = std::chrono::seconds(5);
constexpr std::size_t kMaxSettings = 256UL * 1024;

struct Needed {
  std::string_view name;
  std::string_view value;
  std::string_view option;
};
constexpr std::array<Needed, 3> kNeeded{
    Needed{"sessiontype", "default", "SessionType=default"},
    Needed{"stdinnull", "no", "StdinNull=no"},
    Needed{"forkafterauthentication", "no", "ForkAfterAuthentication=no"}};

}  // namespace

std::string ask_settings(const link::CommandPrefix& words) {
  if (words.argv.size() < 2) return "";
  auto argv = words.argv;
  argv.pop_back();  // the command for the far side
  argv.insert(argv.begin() + 1, "-G");
  const auto asked = run_captured({.argv = argv, .environment = words.environment}, "",
                                  kMaxSettings, Deadline::after(kLimit));
  return asked && asked->status.success() ? asked->out : "";
}

std::string setting_in(std::string_view settings, std::string_view name) {
  const std::string key = concat(name, " ");
  for (const auto& line : split(settings, '\n')) {
    if (line.starts_with(key)) return std::string(trim(line.substr(key.size())));
  }
  return "";
}

std::string target_in(std::string_view settings) {
  std::string target;
  for (const char* name :
       {"user", "hostname", "port", "proxyjump", "proxycommand", "hostkeyalias"}) {
    target += concat(name, " ", setting_in(settings, name), "\n");
  }
  return target;
}

std::vector<std::string> pipe_overrides(std::string_view settings) {
  std::vector<std::string> options;
  for (const auto& [name, value, option] : kNeeded) {
    const std::string is = setting_in(settings, name);
    if (is.empty() || is == value) continue;
    options.insert(options.end(), {"-o", std::string(option)});
  }
  return options;
}

}  // namespace yonder::sandbox
