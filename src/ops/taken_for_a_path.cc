#include "ops/taken_for_a_path.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "config/config_store.h"

namespace yonder::ops {

std::optional<Error> taken_for_a_path(Engine& engine, const std::string& sandbox,
                                      const std::string& path) {
  if (!sandbox.empty()) return std::nullopt;
  const auto catalog = engine.config.catalog();
  if (!catalog) return std::nullopt;  // whoever needs it says what is wrong with it
  const bool is_name = std::any_of(catalog->sandboxes.begin(), catalog->sandboxes.end(),
                                   [&](const SandboxSpec& spec) { return spec.name == path; });
  if (!is_name) return std::nullopt;
  const std::string shown = printable(path);
  return Error{Errc::InvalidArgument,
               concat("'", shown, "' is the name of a sandbox, and a path is missing behind it"),
               concat("give the path, too; a path of that name is ./", shown)};
}

}  // namespace yonder::ops
