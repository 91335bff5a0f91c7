#include "cli/parse.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/meaning.h"
#include "base/quote.h"
#include "base/text.h"
#include "cli/grammar.h"
#include "cli/help_text.h"
#include "cli/parse_exec.h"
#include "cli/parse_files.h"
#include "cli/parse_git_sync.h"
#include "cli/parse_runs.h"
#include "cli/parse_settings.h"
#include "cli/parse_sync.h"
#include "cli/parse_values.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

std::string help_hint(const CLI::App& command) {
  if (command.get_parent() == nullptr) return "`yonder --help` shows all commands and options";
  return concat("`yonder ", command.get_name(), " --help` shows all options");
}

std::string did_you_mean(const std::string& word, const Words& candidates, std::string otherwise) {
  const std::string near = probably_meant(word, candidates);
  return near.empty() ? std::move(otherwise) : concat("did you mean ", near, "?");
}

Words option_names(const CLI::App& command) {
  Words names;
  for (const CLI::Option* option : command.get_options({})) {
    if (option->get_group().empty()) continue;
    for (auto& name : names_of(*option)) names.push_back(std::move(name));
  }
  return names;
}

Words command_names(const CLI::App& app) {
  Words names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

// What no option or argument of the command has taken.
Result<void> check_left_over(const CLI::App& command) {
  const Words left = command.remaining();
  if (left.empty()) return {};
  const std::string& word = left.front();
  const bool top = command.get_parent() == nullptr;
  if (word.size() > 1 && word.starts_with('-')) {
    const std::string name = word.substr(0, word.find('='));
    return usage_error(concat("there is no option ", printable(name),
                              top ? "" : concat(" of `yonder ", command.get_name(), "`")),
                       did_you_mean(name, option_names(command), help_hint(command)));
  }
  if (top) {
    return usage_error(concat("there is no command \"", printable(word), "\""),
                       did_you_mean(word, command_names(command), help_hint(command)));
  }
  return usage_error(concat("unexpected argument \"", printable(word), "\""), help_hint(command));
}

// An empty name is most often a variable that was not set; it must not become the active sandbox.
Result<void> check_name(const CLI::App& command, const RawOptions& raw) {
  const auto is_empty = [&](const char* option, const std::string& value) {
    const CLI::Option* name = command.get_option_no_throw(option);
    return name != nullptr && name->count() != 0 && value.empty();
  };
  const bool one = raw.machines.empty() && raw.more_machines.empty();
  if (!one || (!is_empty("NAME", raw.sandbox) && !is_empty("--sandbox", raw.sandbox_option))) {
    return {};
  }
  return usage_error("the sandbox's name is empty",
                     "is the variable set? Leave the name out for the active sandbox");
}

// NAME and --sandbox say the same.
Result<void> settle_sandbox(RawOptions& raw) {
  raw.machines.insert(raw.machines.end(), raw.more_machines.begin(), raw.more_machines.end());
  if (raw.sandbox_option.empty()) return {};
  if (!raw.sandbox.empty() && raw.sandbox != raw.sandbox_option) {
    return usage_error(concat("two machines are named: ", printable(raw.sandbox), " and ",
                              printable(raw.sandbox_option)),
                       "name one of them");
  }
  raw.sandbox = raw.sandbox_option;
  return {};
}

Result<std::string> required_name(const CLI::App& command, const RawOptions& raw) {
  if (!raw.sandbox.empty()) return raw.sandbox;
  return usage_error(concat("`yonder ", command.get_name(), "` needs the name of a sandbox"),
                     concat("yonder ", command.get_name(), " NAME; `yonder hosts` shows all"));
}

Result<void> check_machines(const RawOptions& raw) {
  for (const auto& name : raw.machines) {
    if (name.empty()) return usage_error("the sandbox's name is empty", "is the variable set?");
  }
  return {};
}

Result<Command> to_gpus(const RawOptions& raw) {
  TRY(check_machines(raw));
  TRY_ASSIGN(const auto wait, parse_patience(raw.wait));
  return Command(GpusOptions{raw.machines, raw.json, wait});
}

Result<Command> to_hosts(const RawOptions& raw) {
  if (!raw.wait.empty() && !raw.resources && !raw.check) {
    return usage_error("--wait goes only together with --resources or --check");
  }
  TRY_ASSIGN(const auto wait, parse_patience(raw.wait));
  TRY(check_machines(raw));
  return Command(HostsOptions{raw.machines, raw.check, raw.resources, raw.json, raw.names, wait});
}

Result<Command> to_top(const RawOptions& raw) {
  // Below that the machines would have nothing else to do.
  constexpr auto kShortest = std::chrono::milliseconds(200);
  TRY(check_machines(raw));
  TopOptions top{.sandboxes = raw.machines, .once = raw.once, .json = raw.json};
  if (!raw.interval.empty()) {
    TRY_ASSIGN(top.interval, parse_time_limit("--interval", raw.interval));
  }
  if (top.interval < kShortest) return usage_error("--interval must be 0.2 seconds at least");
  if (!raw.wait.empty() && !raw.once) return usage_error("--wait goes only together with --once");
  TRY_ASSIGN(top.wait, parse_patience(raw.wait));
  return Command(std::move(top));
}

Result<Command> to_completion(const RawOptions& raw) {
  if (raw.shell == "bash") return Command(CompletionOptions{Shell::Bash});
  if (raw.shell == "zsh") return Command(CompletionOptions{Shell::Zsh});
  if (raw.shell == "fish") return Command(CompletionOptions{Shell::Fish});
  return usage_error(raw.shell.empty()
                         ? std::string("`yonder completion` needs the name of a shell")
                         : concat("there is no completion for \"", printable(raw.shell), "\""),
                     "one of bash, zsh, fish");
}

Result<Command> to_help(const CLI::App& app, const RawOptions& raw) {
  if (raw.help_topic.empty()) return Command(HelpOptions{top_help()});
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == raw.help_topic) return Command(HelpOptions{command->help("yonder")});
  }
  return usage_error(concat("there is no command \"", printable(raw.help_topic), "\""),
                     did_you_mean(raw.help_topic, command_names(app), help_hint(app)));
}

Result<Command> to_command(const CLI::App& app, const CLI::App& command, const RawOptions& raw,
                           const std::optional<Words>& tail) {
  const std::string& name = command.get_name();
  if (name == "exec") {
    TRY_ASSIGN(ExecOptions exec, to_exec_options(raw, tail));
    return Command(std::move(exec));
  }
  if (is_run_command(name)) return to_run_command(name, raw, tail);
  if (is_file_command(name)) return to_file_command(name, raw, tail);
  if (is_sync_command(name)) return to_sync_command(name, raw);
  if (name == "git-sync") return to_git_sync(raw);
  if (is_settings_command(name)) return to_settings_command(name, raw);
  if (name == "hosts") return to_hosts(raw);
  if (name == "gpus") return to_gpus(raw);
  if (name == "top") return to_top(raw);
  if (name == "doctor") {
    DoctorOptions doctor{.forget_place = raw.forget_place, .json = raw.json};
    if (!raw.sandbox.empty()) doctor.sandbox = raw.sandbox;
    TRY_ASSIGN(doctor.wait, parse_patience(raw.wait));
    if (doctor.forget_place && !doctor.sandbox) {
      return usage_error("--forget-place needs the name of a sandbox");
    }
    return Command(std::move(doctor));
  }
  if (name == "mcp") return Command(McpOptions{raw.toolsets});
  if (name == "completion") return to_completion(raw);
  if (name == "man-pages") {
    if (raw.directory.empty()) return usage_error("`yonder man-pages` needs a directory");
    return Command(ManPagesOptions{raw.directory});
  }
  if (name == "help") return to_help(app, raw);
  TRY_ASSIGN(std::string sandbox, required_name(command, raw));
  if (name == "login") return Command(LoginOptions{std::move(sandbox)});
  return Command(LogoutOptions{std::move(sandbox)});
}

bool takes_command(const CLI::App& command) {
  return command.get_name() == "exec" || command.get_name() == "run";
}

Result<CommandLine> interpret(const CLI::App& app, RawOptions& raw,
                              const std::optional<Words>& tail) {
  if (raw.version) {
    const Words rest = app.remaining();
    const bool json = std::find(rest.begin(), rest.end(), "--json") != rest.end();
    return CommandLine{VersionOptions{json}, raw.verbose};
  }
  TRY(check_left_over(app));
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    if (tail) return usage_error("there is no command before \"--\"", "yonder exec [NAME] -- ...");
    return CommandLine{HelpOptions{short_help()}, raw.verbose};
  }
  const CLI::App& command = *chosen.front();
  if (takes_command(command)) {
    TRY(check_has_command(command.get_name(), raw, tail, command.remaining()));
  } else if (tail && !is_file_command(command.get_name())) {
    return usage_error(concat("`yonder ", command.get_name(), "` takes no \"--\""),
                       help_hint(command));
  }
  TRY(check_left_over(command));
  TRY(check_name(command, raw));
  TRY(settle_sandbox(raw));
  TRY_ASSIGN(Command what, to_command(app, command, raw, tail));
  return CommandLine{std::move(what), raw.verbose};
}

struct SplitWords {
  Words head;
  std::optional<Words> tail;  // what stands behind the first "--"
};

SplitWords split_at_dashes(const Words& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  SplitWords split{.head = Words(words.begin(), dashes)};
  if (dashes != words.end()) split.tail = Words(dashes + 1, words.end());
  return split;
}

}  // namespace

Result<CommandLine> parse_command_line(const Words& words) {
  const SplitWords split = split_at_dashes(words);
  RawOptions raw;
  CLI::App app;
  declare(app, raw);
  try {
    app.parse(Words(split.head.rbegin(), split.head.rend()));  // the library pops from the end
  } catch (const CLI::CallForHelp&) {
    return CommandLine{HelpOptions{app.help()}, raw.verbose};
  } catch (const CLI::ParseError& wrong) {
    const auto chosen = app.get_subcommands();
    const CLI::App& command = chosen.empty() ? app : *chosen.front();
    // Without "--" the options are probably the command's own, and only its place is wrong.
    if (takes_command(command)) {
      TRY(check_has_command(command.get_name(), raw, split.tail, command.remaining()));
    }
    return usage_error(printable(wrong.what()), help_hint(command));
  }
  return interpret(app, raw, split.tail);
}

bool wants_json(const Words& words) {
  const SplitWords split = split_at_dashes(words);
  return std::find(split.head.begin(), split.head.end(), "--json") != split.head.end();
}

}  // namespace yonder::cli
