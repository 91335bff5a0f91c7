#include "config/address.h"
#include "config/config_toml.h"
#include "fuzz/target.h"

// config.toml. It is the user's own, and may be anything that a user can write by mistake.
namespace yonder::fuzz {
namespace {

void config_toml(std::string_view bytes) {
  const auto settings = config::parse_config_toml(bytes, "config.toml", "/home/me");
  if (!settings) {
    require(settings.error().code == Errc::Config, "a failure is one of the settings");
    require(settings.error().message.find("config.toml") != std::string::npos, "it names the file");
    require_printable(settings.error().message + settings.error().hint, "a failure can be shown");
    return;
  }
  for (const auto& sandbox : settings->sandboxes) {
    require(config::check_name(sandbox.name, "name").has_value(), "a sandbox has a good name");
    require(sandbox.backend == Backend::Local || config::check_host(sandbox.host, "host"),
            "its host is no option and no shell text");
    require(sandbox.user.empty() || config::check_user(sandbox.user, "user"), "so is its user");
    require(sandbox.port >= 0 && sandbox.port <= 65535, "its port is one");
    require(sandbox.key_file.empty() || sandbox.key_file.starts_with('/'), "its key is a path");
  }
}

const Registered kConfigToml("config_toml", config_toml);

}  // namespace
}  // namespace yonder::fuzz
