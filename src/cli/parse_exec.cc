#include "cli/parse_exec.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "base/clean_text.h"
#include "base/quote.h"
#include "base/text.h"
#include "cli/grammar.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr double kMostSeconds = 10.0 * 365 * 24 * 3600;
constexpr std::size_t kMostOutput = 100UL * 1000 * 1000;

Error usage_error(std::string message, std::string hint = "") {
  return {Errc::InvalidArgument, std::move(message), std::move(hint)};
}

Result<Duration> parse_seconds(const char* option, const std::string& text) {
  double value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value) || value < 0) {
    return usage_error(concat(option, " takes a number of seconds, not \"", printable(text), "\""));
  }
  if (value > kMostSeconds) return usage_error(concat(option, ": more than ten years"));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

Result<std::size_t> parse_count(const char* option, const std::string& text) {
  std::size_t value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value > kMostOutput) {
    return usage_error(
        concat(option, " takes a number up to ", kMostOutput, ", not \"", printable(text), "\""));
  }
  return value;
}

Result<void> add_variables(const Words& settings, ExecOptions& options) {
  for (const auto& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (setting.empty() || equals == 0) {
      return usage_error(concat("--env: \"", printable(setting), "\" has no name"),
                         "--env NAME=VALUE, or --env NAME for the value it has here");
    }
    if (equals == std::string::npos) {
      options.own_variables.push_back(setting);
    } else {
      options.run.env[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
  }
  return {};
}

Result<void> add_command(const Words& words, RunRequest& run) {
  if (words.empty() || trim(words.front()).empty()) {
    return usage_error("the command after \"--\" is empty",
                       "yonder exec [NAME] -- COMMAND..., such as: yonder exec gpu1 -- uptime");
  }
  if (words.size() == 1) {
    run.command = words.front();
  } else {
    run.argv = words;
  }
  return {};
}

// What describes a new run says nothing about an old one; to ignore it would mislead.
Result<void> check_attach(const RawOptions& raw, bool has_command) {
  struct Clash {
    bool given;
    const char* what;
  };
  const std::array clashes{
      Clash{has_command, "a command"},          Clash{!raw.cwd.empty(), "--cwd"},
      Clash{!raw.env.empty(), "--env"},         Clash{raw.login, "--login"},
      Clash{!raw.timeout.empty(), "--timeout"}, Clash{!raw.key.empty(), "--key"}};
  for (const auto& clash : clashes) {
    if (clash.given) {
      return usage_error(concat(
          "--attach waits for a run that exists, so it goes not together with ", clash.what));
    }
  }
  return {};
}

}  // namespace

Result<void> check_has_command(const RawOptions& raw, const std::optional<Words>& tail,
                               const Words& left_over) {
  if (tail || !raw.attach.empty()) return {};
  std::string form = "yonder exec [NAME] -- COMMAND...";
  if (!left_over.empty()) {
    ShellText start("yonder exec");
    if (!raw.sandbox.empty()) start.arg(raw.sandbox);
    form = concat(start.str(), " -- ", shell_line(left_over));
  } else if (!raw.sandbox.empty()) {
    form = concat(form, ", such as: ", ShellText("yonder exec").arg(raw.sandbox).str(),
                  " -- uptime", ", or: ", ShellText("yonder exec --").arg(raw.sandbox).str());
  } else {
    form += ", such as: yonder exec gpu1 -- uptime";
  }
  return usage_error("the command must stand behind \"--\"", printable(form));
}

Result<ExecOptions> to_exec_options(const RawOptions& raw, const std::optional<Words>& tail) {
  ExecOptions options{
      .sandbox = raw.sandbox, .no_stdin = raw.no_stdin, .json = raw.json, .quiet = raw.quiet};
  options.run.login = raw.login;
  options.run.key = raw.key;
  if (!raw.cwd.empty()) options.run.cwd = raw.cwd;
  TRY(add_variables(raw.env, options));
  if (!raw.timeout.empty()) {
    TRY_ASSIGN(options.run.timeout, parse_seconds("--timeout", raw.timeout));
    if (*options.run.timeout == Duration::zero()) return usage_error("--timeout must be above 0");
  }
  if (!raw.wait.empty()) {
    TRY_ASSIGN(options.wait, parse_seconds("--wait", raw.wait));
  }
  if (!raw.max_output.empty()) {
    if (!raw.json) return usage_error("--max-output goes only together with --json");
    TRY_ASSIGN(options.max_output, parse_count("--max-output", raw.max_output));
  }
  if (raw.attach.empty()) {
    TRY(add_command(tail.value_or(Words{}), options.run));
    return options;
  }
  TRY(check_attach(raw, tail.has_value()));
  TRY_ASSIGN(options.attach, parse_run_id(raw.attach));
  return options;
}

}  // namespace yonder::cli
