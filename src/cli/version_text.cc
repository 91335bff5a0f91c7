#include "cli/version_text.h"

#include "base/text.h"

namespace yonder::cli {

std::string version_text(const Build& build) {
  const std::string commit =
      build.commit.empty() ? "not built from git" : concat("commit ", build.commit);
  return concat("yonder ", build.version, " (", commit, ", ", build.type, ", ", build.machine,
                ")\n");
}

Json version_json(const Build& build) {
  return {{"version", build.version},
          {"commit", build.commit.empty() ? Json() : Json(build.commit)},
          {"build", build.type},
          {"machine", build.machine}};
}

}  // namespace yonder::cli
