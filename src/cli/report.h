#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace yonder::cli {

// What a command has to say when it is done, and how to exit.
struct Report {
  int status = 0;
  std::string out;                    // for stdout
  std::vector<std::string> messages;  // for stderr: failures and warnings
  std::vector<std::string> notes;     // for stderr, when people read it
  // For stderr, when stdout could not be written: what must not be lost.
  std::vector<std::string> if_unwritten = {};
};

// "r-...: message; hint"
std::string about_run(const std::string& run, const Error& error);

// Writes it. Gives the exit status.
int show(const Report& report);

}  // namespace yonder::cli
