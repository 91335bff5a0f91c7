#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace yonder::cli {

// Where the library puts the words of a command line, before they are checked.
struct RawOptions {
  bool verbose = false;
  bool version = false;
  std::string help_topic;
  std::string sandbox;  // of whichever command takes one
  bool json = false;

  std::string cwd;
  std::vector<std::string> env;
  std::string timeout;
  std::string wait;
  std::string key;
  std::string attach;
  std::string max_output;
  bool login = false;
  bool no_stdin = false;
  bool quiet = false;

  bool check = false;
  bool names = false;
  std::vector<std::string> toolsets;
  std::string shell;
};

// Declares every command and option. `raw` must live as long as `app`. Nothing is refused here but
// missing values: the parser looks at what is left over, because it can say more about it.
void declare(CLI::App& app, RawOptions& raw);

}  // namespace yonder::cli
