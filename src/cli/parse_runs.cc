#include "cli/parse_runs.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/grammar.h"
#include "cli/parse_exec.h"
#include "cli/parse_needs.h"
#include "cli/parse_values.h"
#include "cli/place_words.h"
#include "ops/task_operations.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t kMostLogLines = 1000UL * 1000 * 1000;

Result<Command> to_run(const RawOptions& raw, const std::optional<Words>& tail) {
  RunOptions options{.sandbox = raw.sandbox,
                     .session_name = raw.session_name,
                     .log_file = raw.log_file,
                     .description = raw.description,
                     .launcher = raw.launcher,
                     .tmux = !raw.no_tmux,
                     .json = raw.json};
  TRY(add_run_options(raw, options.run, options.own_variables));
  TRY_ASSIGN(options.needs, to_needs(raw));
  TRY(add_queue(raw, options.needs, options.run));
  if (!raw.launcher.empty() && raw.launcher != "scope" && raw.launcher != "session") {
    return usage_error(concat("--launcher: there is no \"", printable(raw.launcher), "\""),
                       "scope or session; without --launcher the best there is");
  }
  TRY(add_command("run", tail.value_or(Words{}), options.run));
  return Command(std::move(options));
}

Result<Command> to_ps(const RawOptions& raw) {
  PsOptions options{
      .all = raw.all, .exec = raw.with_exec, .scan = raw.scan, .json = raw.json, .ids = raw.names};
  if (!raw.sandbox.empty()) options.sandbox = raw.sandbox;
  TRY_ASSIGN(options.wait, parse_patience(raw.wait));
  return Command(std::move(options));
}

Result<RunWords> to_words(const std::string& name, const RawOptions& raw) {
  Words runs = raw.runs;
  if (raw.run) runs.push_back(*raw.run);
  if (runs.empty()) {
    return usage_error(concat("`yonder ", name, "` needs to know which run"),
                       concat("yonder ", name, " RUN; `yonder ps` shows all"));
  }
  const bool has_empty = std::any_of(runs.begin(), runs.end(),
                                     [](const std::string& word) { return trim(word).empty(); });
  if (has_empty) {
    return usage_error("the run's id is empty", "is the variable set? `yonder ps` shows all runs");
  }
  TRY_ASSIGN(FarWords far, far_words(raw.sandbox, runs));
  if (std::find(far.words.begin(), far.words.end(), ".") != far.words.end()) {
    return usage_error("the run's id is missing behind the name of the machine",
                       concat("yonder ", name, " NAME:RUN; `yonder ps NAME` shows its runs"));
  }
  return RunWords{
      .runs = std::move(far.words), .sandbox = std::move(far.sandbox), .json = raw.json};
}

Result<std::uint64_t> parse_offset(const std::string& text) {
  std::uint64_t offset = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, offset);
  if (parsed.ec == std::errc() && parsed.ptr == end) return offset;
  return usage_error(
      concat("--since takes a byte's number or \"all\", not \"", printable(text), "\""));
}

Result<Command> to_logs(RunWords which, const RawOptions& raw) {
  LogsOptions options{.which = std::move(which),
                      .follow = raw.follow,
                      .everything = raw.since == "all",
                      .grep = raw.grep};
  if (raw.follow && raw.json) {
    return usage_error("--json does not go together with --follow",
                       "first `yonder wait RUN`, then `yonder logs --json RUN`");
  }
  if (!raw.lines.empty() && !raw.since.empty()) {
    return usage_error("--lines and --since both say where to begin", "give one of them");
  }
  if (!raw.lines.empty()) {
    TRY_ASSIGN(options.lines, parse_count("--lines", raw.lines, kMostLogLines));
    if (*options.lines == 0) return usage_error("--lines must be above 0");
  }
  if (!raw.since.empty() && !options.everything) {
    TRY_ASSIGN(options.offset, parse_offset(raw.since));
  }
  return Command(std::move(options));
}

Result<Command> to_stop(RunWords which, const RawOptions& raw) {
  StopOptions options{.which = std::move(which)};
  if (!raw.signal.empty()) {
    TRY_ASSIGN(options.signal, ops::parse_signal(raw.signal));
  }
  if (!raw.grace.empty()) {
    TRY_ASSIGN(options.grace, parse_time("--grace", raw.grace));
  }
  return Command(std::move(options));
}

}  // namespace

bool is_run_command(const std::string& name) {
  constexpr std::array<std::string_view, 7> kNames{"run",  "ps",     "logs", "wait",
                                                   "stop", "attach", "rm"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

Result<Command> to_run_command(const std::string& name, const RawOptions& raw,
                               const std::optional<Words>& tail) {
  if (name == "run") return to_run(raw, tail);
  if (name == "ps") return to_ps(raw);
  TRY_ASSIGN(RunWords which, to_words(name, raw));
  if (name == "logs") return to_logs(std::move(which), raw);
  if (name == "stop") return to_stop(std::move(which), raw);
  if (name == "wait") return Command(WaitOptions{std::move(which)});
  if (name == "attach") return Command(AttachOptions{std::move(which)});
  return Command(RmOptions{std::move(which)});
}

}  // namespace yonder::cli
