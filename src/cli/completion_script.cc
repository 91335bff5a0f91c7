#include "cli/completion_script.h"

#include <algorithm>

#include "base/quote.h"
#include "base/text.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;
using Shapes = std::vector<CommandShape>;

Words command_names(const Shapes& commands) {
  Words names;
  for (const auto& command : commands) names.push_back(command.name);
  return names;
}

Words option_names(const CommandShape& command, bool only_with_value) {
  Words names;
  for (const auto& option : command.options) {
    if (only_with_value && !option.takes_value) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// What may stand where a command takes a plain word, other than a sandbox.
Words fixed_arguments(const CommandShape& command, const Shapes& commands) {
  if (command.name == "completion") return {"bash", "zsh", "fish"};
  if (command.name == "help") return command_names(commands);
  return {};
}

constexpr const char* kBashStart = R"sh(# bash completion for yonder
_yonder() {
  local cur="${COMP_WORDS[COMP_CWORD]}" program="${COMP_WORDS[0]}"
  local command="" options="" valued="" arguments="" sandbox="" given=0 skip=0 i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="${COMP_WORDS[i]}"
    if ((skip)); then skip=0; continue; fi
    case "$word" in
      --) return 0 ;;
      -*) [[ " $valued " == *" $word "* ]] && skip=1 ;;
      *)
        if [[ -n "$command" ]]; then given=$((given + 1)); continue; fi
        command="$word"
        case "$command" in
)sh";

constexpr const char* kBashEnd = R"sh(        esac
        ;;
    esac
  done
  if ((skip)); then return 0; fi
  if [[ -z "$command" ]]; then
    COMPREPLY=($(compgen -W "$commands --help --version --verbose" -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif ((given == 0)); then
    [[ -n "$sandbox" ]] && arguments="$("$program" hosts --names 2>/dev/null)"
    COMPREPLY=($(compgen -W "$arguments" -- "$cur"))
  fi
}
complete -F _yonder yonder
)sh";

std::string bash_script(const Shapes& commands) {
  std::string script = kBashStart;
  for (const auto& command : commands) {
    script += concat(
        "          ", command.name,
        ")\n            options=", shell_quote(join(option_names(command, false), " ")),
        "\n            valued=", shell_quote(join(option_names(command, true), " ")),
        "\n            arguments=", shell_quote(join(fixed_arguments(command, commands), " ")),
        command.takes_sandbox ? "\n            sandbox=yes" : "", "\n            ;;\n");
  }
  std::string end = kBashEnd;
  const std::string place = "$commands";
  end.replace(end.find(place), place.size(), join(command_names(commands), " "));
  return script + end;
}

constexpr const char* kZshStart = R"sh(#compdef yonder
_yonder_sandboxes() {
  local -a names
  names=(${(f)"$(yonder hosts --names 2>/dev/null)"})
  compadd -a names
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

std::string zsh_options(const CommandShape& command) {
  std::string specs;
  for (const auto& option : command.options) {
    for (const auto& name : option.names) {
      specs +=
          concat(" \\\n            ", shell_quote(concat(option.takes_value ? "*" : "", name,
                                                         zsh_description(option.description),
                                                         option.takes_value ? ":value: " : "")));
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
    if (command.takes_sandbox) script += " \\\n            '1:sandbox:_yonder_sandboxes'";
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

std::string fish_option(const OptionShape& option, const std::string& start) {
  std::string line = start;
  for (const auto& name : option.names) {
    line +=
        name.starts_with("--") ? concat(" -l ", name.substr(2)) : concat(" -s ", name.substr(1));
  }
  return concat(line, option.takes_value ? " -x" : "", " -d ", shell_quote(option.description),
                "\n");
}

std::string fish_script(const Shapes& commands) {
  std::string script = kFishStart;
  for (const auto& command : commands) {
    script += concat("complete -c yonder -n __yonder_needs_command -a ", command.name, " -d ",
                     shell_quote(command.description), "\n");
    const std::string start = concat("complete -c yonder -n '__yonder_using ", command.name, "'");
    for (const auto& option : command.options) script += fish_option(option, start);
    const Words fixed = fixed_arguments(command, commands);
    if (command.takes_sandbox) script += start + " -a '(yonder hosts --names 2>/dev/null)'\n";
    if (!fixed.empty()) script += concat(start, " -a ", shell_quote(join(fixed, " ")), "\n");
  }
  return script;
}

}  // namespace

std::string completion_script(Shell shell, const Shapes& commands) {
  switch (shell) {
    case Shell::Bash: return bash_script(commands);
    case Shell::Zsh: return zsh_script(commands);
    case Shell::Fish: return fish_script(commands);
  }
  return {};
}

}  // namespace yonder::cli
