#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/id.h"

namespace yonder::store {

// What Yonder remembers of a run, so that it can be found and named again; the truth about it lies
// on the far side. The environment and the input of a command have no place here on purpose: they
// are where secrets are.
struct RunNote {
  RunId id;
  std::string sandbox;      // the name under which it was started
  std::string kind;         // "exec" or "background"
  std::string key;          // empty when none
  std::string command;      // as much of it as the caller wants to be seen
  std::string description;  // why it was started, in the words of whoever did
  std::string cwd;
  std::string session;   // of tmux; empty when none
  std::string log_file;  // absolute path over there
  std::string launcher;
  std::int64_t created_ms = 0;   // wall clock; never changes once it is stored
  std::string state;             // the last one that was seen, as name_of(RunState) has it
  std::optional<int> exit_code;  // belongs to that state
  std::int64_t seen_ms = 0;      // when that state was seen, by the wall clock here
};

}  // namespace yonder::store
