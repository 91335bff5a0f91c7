#include "cli/own_variables.h"

#include <algorithm>

#include "base/child_environment.h"
#include "base/text.h"

namespace yonder::cli {

Result<void> add_own_variables(const std::vector<std::string>& names,
                               const std::vector<std::string>& environment, RunRequest& run) {
  for (const auto& name : names) {
    if (is_secret_variable(name)) {
      return Error{Errc::InvalidArgument, concat("--env ", name, ": it holds a secret of Yonder's"),
                   concat("if the command must know it: --env ", name, "=VALUE")};
    }
    const std::string start = name + "=";
    const auto entry =
        std::find_if(environment.begin(), environment.end(),
                     [&](const std::string& each) { return each.starts_with(start); });
    if (entry == environment.end()) {
      return Error{Errc::InvalidArgument, concat("--env ", name, ": it is not set here"),
                   concat("give it a value: --env ", name, "=VALUE")};
    }
    run.env[name] = entry->substr(start.size());
  }
  return {};
}

}  // namespace yonder::cli
