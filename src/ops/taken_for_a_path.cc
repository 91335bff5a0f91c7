#include "ops/taken_for_a_path.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/config_store.h"

namespace yonder::ops {
namespace {

// Who has named the machine otherwise means a path.
bool is_lone_name(Engine& engine, const std::string& sandbox, const std::string& path) {
  if (!sandbox.empty()) return false;
  const auto catalog = engine.config.catalog();
  if (!catalog) return false;  // whoever needs it says what is wrong with it
  return std::any_of(catalog->sandboxes.begin(), catalog->sandboxes.end(),
                     [&](const SandboxSpec& spec) { return spec.name == path; });
}

}  // namespace

std::optional<Error> taken_for_a_path(Engine& engine, const std::string& sandbox,
                                      const std::string& path) {
  if (!is_lone_name(engine, sandbox, path)) return std::nullopt;
  const std::string shown = printable(path);
  return Error{Errc::InvalidArgument,
               concat("'", shown, "' is the name of a sandbox, and a path is missing behind it"),
               concat("give the path, too; a path of that name is ./", shown)};
}

std::optional<Error> taken_for_a_target(Engine& engine, const std::string& sandbox,
                                        const std::string& path) {
  if (!is_lone_name(engine, sandbox, path)) return std::nullopt;
  const std::string shown = printable(path);
  return Error{Errc::InvalidArgument,
               concat("'", shown, "' is the name of a sandbox, and a colon is missing behind it"),
               concat("nothing was copied; that sandbox is ", shown, ": or ", shown,
                      ":PATH, and a path of that name on the active one is ./", shown)};
}

}  // namespace yonder::ops
