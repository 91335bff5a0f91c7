#pragma once

#include <string>

#include "base/json.h"

namespace yonder::cli {

// What the program says of itself.
struct Build {
  std::string version;
  std::string commit;  // with "-dirty" when files differed from it; empty: built outside of git
  std::string type;    // "Release"
  std::string machine;
};

// "yonder 0.1.0 (commit 1fb14756, Release, x86-64)", and a line feed.
std::string version_text(const Build& build);
// The same; `commit` is null when it is not known.
Json version_json(const Build& build);

}  // namespace yonder::cli
