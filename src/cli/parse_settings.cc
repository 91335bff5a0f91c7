#include "cli/parse_settings.h"

#include "base/text.h"
#include "cli/grammar.h"
#include "cli/parse_values.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kLargestPort = 65535;

Result<Command> to_add(const RawOptions& raw) {
  if (raw.host.empty()) {
    return usage_error("`yonder add` needs a host", "yonder add NAME HOST");
  }
  AddOptions add{.spec = {}, .json = raw.json};
  add.spec.name = raw.sandbox;
  add.spec.host = raw.host;
  add.spec.user = raw.user;
  add.spec.key_file = raw.key_file;
  add.spec.cwd = raw.cwd;
  add.spec.labels = raw.labels;
  if (!raw.port.empty()) {
    TRY_ASSIGN(const std::size_t port, parse_count("--port", raw.port, kLargestPort));
    if (port == 0) return usage_error("--port must be a number from 1 to 65535");
    add.spec.port = static_cast<int>(port);
  }
  return Command(std::move(add));
}

}  // namespace

bool is_settings_command(const std::string& name) {
  return name == "use" || name == "add" || name == "remove";
}

Result<Command> to_settings_command(const std::string& name, const RawOptions& raw) {
  if (raw.sandbox.empty()) {
    return usage_error(concat("`yonder ", name, "` needs the name of a sandbox"),
                       name == "add" ? "yonder add NAME HOST"
                                     : concat("yonder ", name, " NAME; `yonder hosts` shows all"));
  }
  if (name == "add") return to_add(raw);
  if (name == "use") return Command(UseOptions{raw.sandbox, raw.json});
  return Command(RemoveOptions{raw.sandbox, raw.json});
}

}  // namespace yonder::cli
