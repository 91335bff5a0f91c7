#include "cli/parse_exec.h"

#include <array>

#include "base/clean_text.h"
#include "base/quote.h"
#include "base/text.h"
#include "cli/find_runs.h"
#include "cli/grammar.h"
#include "cli/parse_needs.h"
#include "cli/parse_values.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostOutput = 100UL * 1000 * 1000;

// What describes a new run says nothing about an old one; to ignore it would mislead.
Result<void> check_attach(const RawOptions& raw, bool has_command) {
  struct Clash {
    bool given;
    const char* what;
  };
  const std::array clashes{
      Clash{has_command, "a command"},          Clash{!raw.cwd.empty(), "--cwd"},
      Clash{!raw.env.empty(), "--env"},         Clash{raw.login, "--login"},
      Clash{!raw.timeout.empty(), "--timeout"}, Clash{!raw.key.empty(), "--key"},
      Clash{!raw.gpus.empty(), "--gpus"},       Clash{!raw.memory.empty(), "--memory"},
      Clash{!raw.disk.empty(), "--disk"},       Clash{!raw.labels.empty(), "--label"},
      Clash{raw.sandbox == "auto", "auto"}};
  for (const auto& clash : clashes) {
    if (clash.given) {
      return usage_error(concat(
          "--attach waits for a run that exists, so it goes not together with ", clash.what));
    }
  }
  return {};
}

}  // namespace

Result<void> check_has_command(const std::string& command, const RawOptions& raw,
                               const std::optional<Words>& tail, const Words& left_over) {
  if (tail || !raw.attach.empty()) return {};
  const std::string start = concat("yonder ", command);
  const std::string name = raw.sandbox.empty() ? "" : concat(" ", shell_quote(raw.sandbox));
  std::string form = concat(start, " [NAME] -- COMMAND...");
  if (!left_over.empty()) {
    form = concat(start, name, " -- ", shell_line(left_over));
  } else if (!raw.sandbox.empty()) {
    form += concat(", such as: ", start, name, " -- uptime, or: ", start, " --", name);
  } else {
    form += concat(", such as: ", start, " gpu1 -- uptime");
  }
  return usage_error("the command must stand behind \"--\"", printable(form));
}

Result<void> add_run_options(const RawOptions& raw, RunRequest& run, Words& own_variables) {
  run.login = raw.login;
  run.key = raw.key;
  if (!raw.cwd.empty()) run.cwd = raw.cwd;
  TRY(add_variables(raw.env, run.env, own_variables));
  if (!raw.timeout.empty()) {
    TRY_ASSIGN(run.timeout, parse_time_limit("--timeout", raw.timeout));
  }
  return {};
}

Result<ExecOptions> to_exec_options(const RawOptions& raw, const std::optional<Words>& tail) {
  ExecOptions options{
      .sandbox = raw.sandbox, .no_stdin = raw.no_stdin, .json = raw.json, .quiet = raw.quiet};
  TRY(add_run_options(raw, options.run, options.own_variables));
  TRY_ASSIGN(options.needs, to_needs(raw));
  if (!raw.wait.empty()) {
    TRY_ASSIGN(options.wait, parse_time("--wait", raw.wait));
  }
  if (!raw.max_output.empty()) {
    if (!raw.json) return usage_error("--max-output goes only together with --json");
    TRY_ASSIGN(options.max_output, parse_count("--max-output", raw.max_output, kMostOutput));
  }
  if (raw.attach.empty()) {
    TRY(add_command("exec", tail.value_or(Words{}), options.run));
    return options;
  }
  TRY(check_attach(raw, tail.has_value()));
  if (!may_be_id(raw.attach)) {
    return usage_error(
        concat("\"", printable(raw.attach), "\" is not a run id, nor the beginning of one"),
        "`yonder ps --exec` shows all runs");
  }
  options.attach = raw.attach;
  return options;
}

}  // namespace yonder::cli
