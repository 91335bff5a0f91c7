#include "outpost/missing_program.h"

#include <unistd.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

constexpr std::string_view kPlain =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+-";

// What bash and sh know themselves.
constexpr std::string_view kOfTheShell =
    " . alias bg bind break builtin caller case cd command compgen complete continue coproc "
    "declare dirs disown echo enable eval exec exit export false fc fg for function getopts hash "
    "help history if jobs kill let local mapfile popd printf pushd pwd read readarray readonly "
    "return select set shift shopt source suspend test time times trap true type typeset ulimit "
    "umask unalias unset until wait while ";

bool is_of_the_shell(std::string_view word) {
  return kOfTheShell.find(concat(" ", word, " ")) != std::string_view::npos;
}

std::string path_of(const wire::StartRequest& spec, const std::vector<std::string>& inherited) {
  constexpr std::string_view kPath = "PATH=";
  if (const auto own = spec.env.find("PATH"); own != spec.env.end()) return own->second;
  const auto found = std::find_if(inherited.begin(), inherited.end(),
                                  [&](const auto& entry) { return entry.starts_with(kPath); });
  return found == inherited.end() ? "" : found->substr(kPath.size());
}

}  // namespace

std::string_view first_program(std::string_view command) {
  const std::size_t start = command.find_first_not_of(" \t\n");
  if (start == std::string_view::npos) return "";
  const std::string_view word =
      command.substr(start, command.find_first_of(" \t\n", start) - start);
  const bool plain = word.find_first_not_of(kPlain) == std::string_view::npos;
  return plain && !is_of_the_shell(word) ? word : "";
}

bool may_lack_its_program(const wire::StartRequest& spec,
                          const std::vector<std::string>& inherited) {
  // Start-up files may set another PATH, and define functions.
  if (spec.login) return false;
  const std::string word =
      spec.argv.empty() ? std::string(first_program(spec.command)) : spec.argv.front();
  // Where a relative path leads depends on where the run begins.
  if (word.empty() || (word.find('/') != std::string::npos && word.front() != '/')) return false;
  if (word.front() == '/') return ::access(word.c_str(), F_OK) != 0;
  return find_program(word, path_of(spec, inherited)).empty();
}

}  // namespace yonder::outpost
