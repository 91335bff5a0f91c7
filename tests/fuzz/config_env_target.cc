#include <array>

#include "config/address.h"
#include "config/config_env.h"
#include "config/destination.h"
#include "fuzz/target.h"

// What the environment says of machines: one piece of the input for each variable.
namespace yonder::fuzz {
namespace {

constexpr std::array kVariables{"REMOTE_SANDBOX_LIST",
                                "REMOTE_HOST",
                                "REMOTE_PORT",
                                "REMOTE_USER",
                                "REMOTE_KEY_FILE",
                                "SSH_HOST",
                                "SSH_PORT",
                                "SSH_KEY_PATH",
                                "REMOTE_PASSWORD",
                                "REMOTE_KEY_PASSPHRASE"};

void config_env(std::string_view bytes) {
  Pieces pieces(bytes);
  std::map<std::string, std::string> environment;
  for (const char* name : kVariables) {
    const std::string_view piece = pieces.piece();
    const std::string_view value = piece.substr(0, piece.find('\0'));
    if (!value.empty()) environment[name] = value;
  }
  const auto settings = config::read_environment(environment, "/home/me");
  if (!settings) {
    require(settings.error().code == Errc::Config, "a failure is one of the settings");
    require_printable(settings.error().message + settings.error().hint, "a failure can be shown");
    return;
  }
  for (const auto& sandbox : settings->sandboxes) {
    require(
        config::check_name(sandbox.name, "name") || config::parse_destination(sandbox.name, "name"),
        "a sandbox has a good name");
    require(config::check_host(sandbox.host, "host").has_value(), "its host is no option");
    require(sandbox.user.empty() || config::check_user(sandbox.user, "user"), "nor is its user");
    require(sandbox.port >= 0 && sandbox.port <= 65535, "its port is one");
  }
  for (const auto& warning : settings->warnings) require_printable(warning, "a warning is text");
}

const Registered kConfigEnv("config_env", config_env);

}  // namespace
}  // namespace yonder::fuzz
