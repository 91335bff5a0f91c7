#pragma once

#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Up to this size a command is an argument of its shell; Linux allows 128 KiB for one argument. A
// longer one is read by the shell from a file.
inline constexpr std::size_t kMaxArgument = 100UL * 1024;

// What will be given to execve.
struct Execution {
  std::string program;  // empty: argv[0], looked for in PATH
  std::vector<std::string> argv;
  std::vector<std::string> environment;
};

// "~", "~/x" and relative paths, as the user meant them; `~user` cannot be looked up here.
Result<std::string> resolve_directory(const std::string& cwd, const std::string& home);

// Checks everything that can be wrong with a request before anything is written or started.
Result<void> check_request(const wire::StartRequest& request, const std::string& home);

// The shell line, program or script with its environment. `inherited` is this process's
// environment.
Execution plan_command(const wire::StartRequest& spec, const RunRecord& record,
                       const std::vector<std::string>& inherited);

// The same through the user's login shell, which then starts `enter` (this program) again.
Execution plan_login(const RunRecord& record, const std::string& login_shell,
                     const std::string& enter, const std::vector<std::string>& inherited);

// Only returns when it could not be done.
Error execute(const Execution& execution);

std::vector<std::string> current_environment();

}  // namespace yonder::outpost
