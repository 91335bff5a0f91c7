#include "cli/completion_script.h"

#include "base/quote.h"
#include "base/text.h"
#include "cli/completion_parts.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;
using Shapes = std::vector<CommandShape>;

constexpr const char* kZshStart = R"sh(#compdef yonder
_yonder_sandboxes() {
  local -a names
  names=(${(f)"$(yonder hosts --names 2>/dev/null)"})
  compadd -a names
}

_yonder_places() {
  local -a names
  names=(${(f)"$(yonder hosts --names 2>/dev/null)"})
  compadd -q -S : -a names
}

_yonder_files() {
  _files
}

_yonder_copies() {
  _alternative 'files:file:_files' 'machines:machine:_yonder_places'
}

_yonder_runs() {
  local -a runs
  runs=(${(f)"$(yonder ps --ids 2>/dev/null)"})
  compadd -a runs
}

_yonder() {
  local curcontext="$curcontext" state line
  typeset -A opt_args
  _arguments -C \
    '(- *)'{-h,--help}'[Show help]' \
    '(- *)--version[Show the version]' \
    '(-v --verbose)'{-v,--verbose}'[Say more on stderr]' \
    '1:command:->command' \
    '*::argument:->argument'
  case $state in
    command)
      local -a commands
      commands=(
)sh";

constexpr const char* kZshEnd = R"sh(      esac
      ;;
  esac
}

if [[ "${funcstack[1]}" == "_yonder" ]]; then
  _yonder "$@"
else
  compdef _yonder yonder
fi
)sh";

// Brackets end the description in a spec of _arguments.
std::string zsh_description(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return concat("[", escaped, "]");
}

std::string zsh_value(const OptionShape& option) {
  if (!option.takes_value) return "";
  if (option.value == Offer::Nothing) return ":value: ";
  return concat(":value:_yonder_", word_for(option.value));
}

std::string zsh_words(Offer offer) {
  if (offer == Offer::Nothing) return "";
  return concat(" \\\n            '", offer == Offer::Sandboxes ? "1" : "*", ":", word_for(offer),
                ":_yonder_", word_for(offer), "'");
}

std::string zsh_options(const CommandShape& command) {
  std::string specs;
  for (const auto& option : command.options) {
    for (const auto& name : option.names) {
      specs += concat(" \\\n            ",
                      shell_quote(concat(option.takes_value ? "*" : "", name,
                                         zsh_description(option.description), zsh_value(option))));
    }
  }
  return specs;
}

std::string zsh_script(const Shapes& commands) {
  std::string script = kZshStart;
  for (const auto& command : commands) {
    script += concat("        ", shell_quote(concat(command.name, ":", command.description)), "\n");
  }
  script +=
      "      )\n      _describe command commands\n      ;;\n    argument)\n"
      "      (( ${words[(Ie)--]} && CURRENT > ${words[(ie)--]} )) && return 1\n"
      "      case $words[1] in\n";
  for (const auto& command : commands) {
    script += concat("        ", command.name, ")\n          _arguments", zsh_options(command));
    const Words fixed = fixed_arguments(command, commands);
    script += zsh_words(command.words);
    if (!fixed.empty()) script += concat(" \\\n            '1:argument:(", join(fixed, " "), ")'");
    script += "\n          ;;\n";
  }
  return script + kZshEnd;
}

constexpr const char* kFishStart = R"sh(# fish completion for yonder
function __yonder_needs_command
    for word in (commandline -opc)[2..-1]
        string match -q -- '-*' $word; or return 1
    end
    return 0
end

function __yonder_using
    set -l words (commandline -opc)
    contains -- -- $words; and return 1
    for word in $words[2..-1]
        string match -q -- '-*' $word; and continue
        test "$word" = "$argv[1]"
        return $status
    end
    return 1
end

complete -c yonder -f
complete -c yonder -n __yonder_needs_command -s h -l help -d 'Show help'
complete -c yonder -n __yonder_needs_command -l version -d 'Show the version'
complete -c yonder -n __yonder_needs_command -s v -l verbose -d 'Say more on stderr'
)sh";

std::string fish_words(Offer offer) {
  if (offer == Offer::Runs) return "(yonder ps --ids 2>/dev/null)";
  if (offer == Offer::Sandboxes) return "(yonder hosts --names 2>/dev/null)";
  return "(yonder hosts --names 2>/dev/null | string replace -r \\$ :)";
}

std::string fish_option(const OptionShape& option, const std::string& start) {
  std::string line = start;
  for (const auto& name : option.names) {
    line +=
        name.starts_with("--") ? concat(" -l ", name.substr(2)) : concat(" -s ", name.substr(1));
  }
  std::string value = option.takes_value ? " -x" : "";
  if (option.value == Offer::Files) {
    value = " -r -F";
  } else if (option.value != Offer::Nothing) {
    value += concat(" -a ", shell_quote(fish_words(option.value)));
  }
  return concat(line, value, " -d ", shell_quote(option.description), "\n");
}

std::string fish_script(const Shapes& commands) {
  std::string script = kFishStart;
  for (const auto& command : commands) {
    script += concat("complete -c yonder -n __yonder_needs_command -a ", command.name, " -d ",
                     shell_quote(command.description), "\n");
    const std::string start = concat("complete -c yonder -n '__yonder_using ", command.name, "'");
    for (const auto& option : command.options) script += fish_option(option, start);
    const Words fixed = fixed_arguments(command, commands);
    if (command.words == Offer::PlacesAndFiles) script += start + " -F\n";
    if (command.words != Offer::Nothing) {
      script += concat(start, " -a ", shell_quote(fish_words(command.words)), "\n");
    }
    if (!fixed.empty()) script += concat(start, " -a ", shell_quote(join(fixed, " ")), "\n");
  }
  return script;
}

}  // namespace

std::vector<std::string> completed_commands(const Shapes& commands) {
  Words names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

std::vector<std::string> fixed_arguments(const CommandShape& command, const Shapes& commands) {
  if (command.name == "completion") return {"bash", "zsh", "fish"};
  if (command.name == "help") return completed_commands(commands);
  return {};
}

const char* word_for(Offer offer) {
  switch (offer) {
    case Offer::Nothing: break;
    case Offer::Sandboxes: return "sandboxes";
    case Offer::Places: return "places";
    case Offer::PlacesAndFiles: return "copies";
    case Offer::Files: return "files";
    case Offer::Runs: return "runs";
  }
  return "";
}

std::string completion_script(Shell shell, const Shapes& commands) {
  switch (shell) {
    case Shell::Bash: return bash_completion(commands);
    case Shell::Zsh: return zsh_script(commands);
    case Shell::Fish: return fish_script(commands);
  }
  return {};
}

}  // namespace yonder::cli
