#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/id.h"
#include "cli/cli.h"
#include "model/run.h"

namespace yonder::cli {

// What a command line asks for, before anything is done about it.

struct ExecOptions {
  std::string sandbox;  // empty: the active one
  RunRequest run;
  std::vector<std::string> own_variables;  // to be passed on with the value they have here
  std::optional<RunId> attach;             // wait for this run instead of starting one
  std::optional<Duration> wait;
  bool no_stdin = false;
  bool json = false;
  bool quiet = false;
  std::size_t max_output = 20000;  // characters, with json
};

struct HostsOptions {
  bool check = false;
  bool json = false;
  bool names = false;  // for completion scripts
};

struct DoctorOptions {
  std::optional<std::string> sandbox;
  bool json = false;
};

struct LoginOptions {
  std::string sandbox;
};

struct LogoutOptions {
  std::string sandbox;
};

enum class Shell { Bash, Zsh, Fish };
struct CompletionOptions {
  Shell shell = Shell::Bash;
};

struct HelpOptions {
  std::string text;
};

struct VersionOptions {};

using Command = std::variant<HelpOptions, VersionOptions, ExecOptions, HostsOptions, DoctorOptions,
                             LoginOptions, LogoutOptions, McpOptions, CompletionOptions>;

struct CommandLine {
  Command command;
  bool verbose = false;
};

}  // namespace yonder::cli
