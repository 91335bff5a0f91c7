#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace yonder::cli {

// Pure: the words after the program's name → what they ask for. InvalidArgument says what is wrong
// with them, and what was probably meant.
Result<CommandLine> parse_command_line(const std::vector<std::string>& words);

// Pure. Whether --json is among our own words, also where they cannot be understood.
bool wants_json(const std::vector<std::string>& words);

// What completion scripts offer and the manual says, taken from the parser itself so that the two
// cannot differ.
enum class Offer {
  Nothing,
  Sandboxes,
  Places,          // paths of machines, of which only "NAME:" is known here
  PlacesAndFiles,  // those, and files here
  Files,           // here
  Runs,
};
struct OptionShape {
  std::vector<std::string> names;  // "-n", "--no-stdin"
  std::string description;
  bool takes_value = false;
  Offer value = Offer::Nothing;
};
struct CommandShape {
  std::string name;
  std::string description;
  std::vector<OptionShape> options;
  Offer words = Offer::Nothing;  // what its plain words are; of Sandboxes only the first
  std::string help;              // as `yonder help NAME` shows it
};
std::vector<CommandShape> command_shapes();

}  // namespace yonder::cli
