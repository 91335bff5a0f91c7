#include "outpost/command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>

#include "base/clean_text.h"
#include "base/home_path.h"
#include "base/quote.h"
#include "base/text.h"
#include "outpost/gpu_lease.h"
#include "outpost/machine.h"

extern char** environ;

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxCommand = 1024UL * 1024 + 4096;
constexpr std::int64_t kLongestMs = 10LL * 365 * 24 * 3600 * 1000;
constexpr std::int64_t kLongestGraceMs = 3600LL * 1000;
constexpr std::size_t kMaxEnvironmentEntry = 128UL * 1024 - 1;  // MAX_ARG_STRLEN of Linux
constexpr const char* kUnbuffered = "PYTHONUNBUFFERED";

Error invalid(std::string message, std::string hint) {
  return Error{Errc::InvalidArgument, std::move(message), std::move(hint)};
}

bool has_nul(const std::string& text) {
  return text.find('\0') != std::string::npos;
}

bool is_name(const std::string& name) {
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 &&
         std::all_of(name.begin(), name.end(), is_word);
}

Result<void> check_environment(const std::map<std::string, std::string>& env) {
  for (const auto& [name, value] : env) {
    if (!is_name(name)) {
      return invalid(concat("env: '", printable(name), "' is not a variable name"),
                     "names are letters, digits and _, not starting with a digit");
    }
    if (has_nul(value)) return invalid(concat("env: ", name, " holds a NUL byte"), "");
    if (name.size() + value.size() + 1 > kMaxEnvironmentEntry) {
      return invalid(concat("env: ", name, " is longer than Linux allows (128 KiB)"),
                     "write it to a file, or give it as stdin");
    }
  }
  return {};
}

// Later entries of `more` replace those of the same name.
std::vector<std::string> merged(const std::vector<std::string>& base,
                                const std::map<std::string, std::string>& more) {
  std::vector<std::string> environment;
  for (const auto& entry : base) {
    if (!more.contains(entry.substr(0, entry.find('=')))) environment.push_back(entry);
  }
  for (const auto& [name, value] : more) environment.push_back(concat(name, "=", value));
  return environment;
}

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const auto& entry : environment) {
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
      return entry.substr(name.size() + 1);
    }
  }
  return "";
}

bool has_variable(const std::vector<std::string>& environment, std::string_view name) {
  return std::any_of(environment.begin(), environment.end(), [&](const std::string& entry) {
    return std::string_view(entry).substr(0, entry.find('=')) == name;
  });
}

std::map<std::string, std::string> additions(const wire::StartRequest& spec,
                                             const RunRecord& record,
                                             const std::vector<std::string>& inherited) {
  std::map<std::string, std::string> more = spec.env;
  more["YONDER_RUN_ID"] = record.id();
  // A bash that finds SSH_CLIENT takes itself for a login over the network and reads ~/.bashrc,
  // whose output would become the command's, unless SHLVL says that it is inside another shell. A
  // login bash that becomes our shell leaves 0 there.
  const bool outermost = std::atoi(value_of(inherited, "SHLVL").c_str()) < 1;
  if (outermost && !more.contains("SHLVL")) more["SHLVL"] = "1";
  // Into a file Python prints in blocks: lines would be in the log minutes later, or never when the
  // run is stopped.
  if (spec.background && !has_variable(inherited, kUnbuffered)) more.emplace(kUnbuffered, "1");
  return more;
}

}  // namespace

Result<std::string> resolve_directory(const std::string& cwd, const std::string& home) {
  if (cwd.empty()) return home.empty() ? std::string("/") : home;
  if (has_nul(cwd)) return invalid("cwd holds a NUL byte", "");
  auto whole = path_from_home(cwd, "", home);
  if (!whole) return std::move(whole).error().context("cwd");
  return whole;
}

static Result<void> check_gpus(const wire::StartRequest& request) {
  if (request.gpus > resources::kMostGpusOfARun) {
    return invalid(
        concat("gpus is ", request.gpus, "; no machine has more than ", resources::kMostGpusOfARun),
        "");
  }
  if (request.gpus == 0 && (request.gpu_memory_mb != 0 || request.gpu_queue)) {
    return invalid("gpu_memory_mb and waiting for a GPU mean nothing without gpus",
                   "say how many GPUs the run needs");
  }
  if (request.gpu_queue_ms.value_or(1) <= 0 || request.gpu_queue_ms.value_or(1) > kLongestMs) {
    return invalid("the limit on waiting for a GPU is out of range", "");
  }
  for (const char* name : kGpuVariables) {
    if (request.gpus == 0 || !request.env.contains(name)) continue;
    return invalid(concat("gpus and ", name, " are both given"),
                   "with gpus, Yonder chooses free ones and sets the variable");
  }
  return {};
}

Result<void> check_request(const wire::StartRequest& request, const std::string& home) {
  if (request.command.empty() == request.argv.empty()) {
    return invalid("give either a command or an argument list", "");
  }
  if (request.command.size() > kMaxCommand) {
    return invalid(
        concat("the command is ", request.command.size(), " bytes long; 1 MiB is the limit"),
        "put it into a file over there and run that");
  }
  if (has_nul(request.command)) return invalid("the command holds a NUL byte", "");
  for (const auto& word : request.argv) {
    if (has_nul(word)) return invalid("an argument holds a NUL byte", "");
    if (word.size() > kMaxEnvironmentEntry) {
      return invalid("an argument is longer than Linux allows (128 KiB)", "give it as stdin");
    }
  }
  TRY(check_environment(request.env));
  TRY(check_gpus(request));
  if (request.timeout_ms.value_or(1) <= 0 || request.timeout_ms.value_or(1) > kLongestMs ||
      request.grace_ms < 0 || request.grace_ms > kLongestGraceMs) {
    return invalid("the time limit or its grace is out of range", "");
  }
  TRY_ASSIGN(const std::string directory, resolve_directory(request.cwd, home));
  struct stat info {};
  if (::stat(directory.c_str(), &info) != 0) {
    auto error = errno_error("cwd '" + printable(directory) + "'");
    error.code = Errc::InvalidArgument;
    error.hint = "nothing was run; make the directory first, or give another cwd";
    return error;
  }
  if (!S_ISDIR(info.st_mode)) {
    return invalid(concat("cwd '", printable(directory), "' is not a directory"),
                   "nothing was run");
  }
  if (::access(directory.c_str(), X_OK) != 0) {
    return invalid(concat("cwd '", printable(directory), "' may not be entered"),
                   "nothing was run");
  }
  return {};
}

Execution plan_command(const wire::StartRequest& spec, const RunRecord& record,
                       const std::vector<std::string>& inherited) {
  Execution execution{.program = "",
                      .argv = spec.argv,
                      .environment = merged(inherited, additions(spec, record, inherited))};
  if (!spec.argv.empty()) return execution;
  std::string shell = find_program("bash", value_of(execution.environment, "PATH"));
  if (shell.empty()) shell = "/bin/sh";
  if (spec.command.size() <= kMaxArgument) {
    execution.argv = {shell, "-c", "--", spec.command};  // a command may begin with a dash
  } else {
    execution.argv = {shell, record.path("command")};
  }
  return execution;
}

Execution plan_login(const RunRecord& record, const std::string& login_shell,
                     const std::string& enter, const std::vector<std::string>& inherited) {
  // A leading dash makes every shell a login shell, also those that allow no -l beside -c. bash,
  // zsh and fish are made interactive too: that is where conda, nvm and the like put themselves on
  // PATH.
  const std::string name = login_shell.substr(login_shell.find_last_of('/') + 1);
  Execution execution{.program = login_shell, .argv = {"-" + name}, .environment = inherited};
  if (name == "bash" || name == "zsh" || name == "fish") execution.argv.emplace_back("-i");
  execution.argv.emplace_back("-c");
  execution.argv.push_back(ShellText("exec").arg(enter).arg("enter").arg(record.directory()).str());
  return execution;
}

Error execute(const Execution& execution) {
  std::vector<std::string> argv = execution.argv;
  std::vector<std::string> environment = execution.environment;
  std::vector<char*> argv_pointers;
  for (auto& word : argv) argv_pointers.push_back(word.data());
  argv_pointers.push_back(nullptr);
  std::vector<char*> environment_pointers;
  for (auto& entry : environment) environment_pointers.push_back(entry.data());
  environment_pointers.push_back(nullptr);

  const std::string& wanted = execution.program.empty() ? execution.argv[0] : execution.program;
  std::vector<std::string> programs{wanted};
  if (wanted.find('/') == std::string::npos) {
    programs.clear();
    for (const auto& directory : split(value_of(execution.environment, "PATH"), ':')) {
      programs.push_back(concat(directory.empty() ? std::string(".") : directory, "/", wanted));
    }
  }
  int error = ENOENT;
  for (const auto& program : programs) {
    ::execve(program.c_str(), argv_pointers.data(), environment_pointers.data());
    if (errno != ENOENT && errno != ENOTDIR) error = errno;
  }
  return errno_error("cannot start '" + printable(wanted.substr(0, 200)) + "'", error);
}

std::vector<std::string> current_environment() {
  std::vector<std::string> entries;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    entries.emplace_back(*entry);
  }
  return entries;
}

}  // namespace yonder::outpost
