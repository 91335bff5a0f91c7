#include <algorithm>

#include "base/quote.h"
#include "base/text.h"
#include "cli/completion_parts.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;
using Shapes = std::vector<CommandShape>;

Words completed_options(const CommandShape& command, bool only_with_value) {
  Words names;
  for (const auto& option : command.options) {
    if (only_with_value && !option.takes_value) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// The names of all options whose values are offered, "--from" and "--local" for files.
Words options_with(Offer offer, const Shapes& commands) {
  Words names;
  for (const auto& command : commands) {
    for (const auto& option : command.options) {
      if (option.value != offer) continue;
      names.insert(names.end(), option.names.begin(), option.names.end());
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

constexpr const char* kBashStart = R"sh(# bash completion for yonder
_yonder_offer() {
  case "$1" in
    sandboxes) COMPREPLY+=($(compgen -W "$("$program" hosts --names 2>/dev/null)" -- "$cur")) ;;
    runs) COMPREPLY+=($(compgen -W "$("$program" ps --ids 2>/dev/null)" -- "$cur")) ;;
    places)
      compopt -o nospace 2>/dev/null
      COMPREPLY+=($(compgen -S : -W "$("$program" hosts --names 2>/dev/null)" -- "$cur"))
      ;;
    files)
      compopt -o filenames 2>/dev/null
      mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$cur")
      ;;
    copies) _yonder_offer files; _yonder_offer places ;;
  esac
}

_yonder() {
  local cur="${COMP_WORDS[COMP_CWORD]}" program="${COMP_WORDS[0]}"
  local command="" options="" valued="" arguments="" words="" given=0 skip=0 i word=""
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
  if ((skip)); then
    case "$word" in
$values    esac
    return 0
  fi
  if [[ -z "$command" ]]; then
    COMPREPLY=($(compgen -W "$commands --help --version --verbose" -- "$cur"))
  elif [[ "$cur" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  elif [[ "$cur" == *:* || "$word" == ":" ]]; then
    return 0  # a path of another machine
  elif [[ "$words" == sandboxes ]]; then
    ((given == 0)) && _yonder_offer sandboxes
  elif [[ -n "$words" ]]; then
    _yonder_offer "$words"
  elif ((given == 0)); then
    COMPREPLY=($(compgen -W "$arguments" -- "$cur"))
  fi
  return 0
}
complete -F _yonder yonder
)sh";

void replace_once(std::string& text, const std::string& place, const std::string& by) {
  text.replace(text.find(place), place.size(), by);
}

}  // namespace

std::string bash_completion(const Shapes& commands) {
  std::string script = kBashStart;
  for (const auto& command : commands) {
    script += concat(
        "          ", command.name,
        ")\n            options=", shell_quote(join(completed_options(command, false), " ")),
        "\n            valued=", shell_quote(join(completed_options(command, true), " ")),
        "\n            arguments=", shell_quote(join(fixed_arguments(command, commands), " ")),
        "\n            words=", shell_quote(word_for(command.words)), "\n            ;;\n");
  }
  std::string values;
  for (const Offer offer : {Offer::Sandboxes, Offer::Runs, Offer::Files}) {
    values += concat("      ", join(options_with(offer, commands), " | "), ") _yonder_offer ",
                     word_for(offer), " ;;\n");
  }
  std::string end = kBashEnd;
  replace_once(end, "$values", values);
  replace_once(end, "$commands", join(completed_commands(commands), " "));
  return script + end;
}

}  // namespace yonder::cli
