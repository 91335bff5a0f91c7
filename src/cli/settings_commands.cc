#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/one_line.h"
#include "cli/render.h"
#include "ops/configure.h"

namespace yonder::cli {
namespace {

std::string now_active(const ops::Configured& done) {
  if (done.active.empty()) return "no sandbox is active now";
  return concat(one_line(done.active), " is the active sandbox");
}

int tell(const Result<ops::Configured>& done, bool json, const char* what) {
  if (!done) {
    show_failure(done.error(), format_of(json));
    return kExitFailure;
  }
  if (json) return print_json_then(ops::to_json(*done));
  const std::string change = *what == '\0' ? "" : concat(what, " ", one_line(done->sandbox), "; ");
  say(concat(change, now_active(*done), " (", done->file, ")"));
  return kExitSuccess;
}

template <class Action>
int settings_command(const Doors& doors, bool json, const char* what, const Action& action) {
  const auto engine = doors.engine();
  if (!engine) return tell(engine.error(), json, what);
  return tell(action(**engine), json, what);
}

}  // namespace

int use_command(const UseOptions& options, const Doors& doors) {
  return settings_command(doors, options.json, "", [&](ops::Engine& engine) {
    return ops::use_sandbox(engine, options.sandbox);
  });
}

int add_command(const AddOptions& options, const Doors& doors) {
  return settings_command(doors, options.json, "added", [&](ops::Engine& engine) {
    return ops::add_sandbox(engine, options.spec);
  });
}

int remove_command(const RemoveOptions& options, const Doors& doors) {
  return settings_command(doors, options.json, "removed", [&](ops::Engine& engine) {
    return ops::remove_sandbox(engine, options.sandbox);
  });
}

}  // namespace yonder::cli
