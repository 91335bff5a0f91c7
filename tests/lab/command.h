#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"

namespace yonder::lab {

// The environment of the lab's own helpers and daemons: nothing of the developer's gets in.
std::vector<std::string> plain_environment();

// Runs a helper program to its end and returns what it printed; a failure carries its stderr.
Result<std::string> run_command(const std::vector<std::string>& argv);

// The same for programs whose failure is of interest, with the caller's environment.
Result<Captured> capture(const std::vector<std::string>& argv,
                         const std::vector<std::string>& environment, std::string_view input = {});

}  // namespace yonder::lab
