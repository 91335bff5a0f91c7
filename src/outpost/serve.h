#pragma once

#include <string>

#include "base/fd.h"
#include "outpost/machine.h"

namespace yonder::outpost {

struct ServeOptions {
  std::string nonce;
  std::string build;
  Surroundings around;
};

// Answers one link until it ends. Holds nothing that is not on disk: killing it loses nothing.
int serve(const ServeOptions& options, Fd input, Fd output);

}  // namespace yonder::outpost
