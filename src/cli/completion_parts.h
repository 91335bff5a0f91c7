#pragma once

#include <string>
#include <vector>

#include "cli/parse.h"

namespace yonder::cli {

// What the scripts of all shells have in common. Pure.

std::vector<std::string> completed_commands(const std::vector<CommandShape>& commands);

// What may stand where a command takes a plain word that is one of a few.
std::vector<std::string> fixed_arguments(const CommandShape& command,
                                         const std::vector<CommandShape>& commands);

// As the functions of the scripts call it.
const char* word_for(Offer offer);

std::string bash_completion(const std::vector<CommandShape>& commands);

}  // namespace yonder::cli
