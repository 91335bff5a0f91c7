#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/run.h"

namespace yonder::cli {

// Pure: single values of a command line. Errors are InvalidArgument and name the option.

Error usage_error(std::string message, std::string hint = "");

// Every time that is given as an option: seconds, as in "90" and "1.5", or with units, as in
// "500ms", "90s", "30m", "2h", "1d" and "1h30m".
Result<Duration> parse_time(const char* option, const std::string& text);
// The same of something that must not be over at once: above 0.
Result<Duration> parse_time_limit(const char* option, const std::string& text);
// How long machines have to answer, altogether: --wait; nothing when it is not given.
Result<std::optional<Duration>> parse_patience(const std::string& text);
Result<std::size_t> parse_count(const char* option, const std::string& text, std::size_t most);

// "NAME=VALUE" into `env`, "NAME" into `own_variables`.
Result<void> add_variables(const std::vector<std::string>& settings,
                           std::map<std::string, std::string>& env,
                           std::vector<std::string>& own_variables);

// The words behind "--": one is a line for the shell, several are a program and its arguments.
// `command` is our own: "exec" or "run".
Result<void> add_command(const std::string& command, const std::vector<std::string>& words,
                         RunRequest& run);

}  // namespace yonder::cli
