#pragma once

#include <string>
#include <vector>

namespace yonder::ops {

// A repository names programs that git runs: monitors, hooks, filters, ways to fetch what is
// missing. One that came from elsewhere (a pulled directory may look like a repository) must not
// choose what runs here, so git gets these before everything else.

// Options that count more than the repository's settings: for git at either end. No character of
// theirs means anything to a shell.
std::vector<std::string> safe_git_options();

// For git here: without what leads to another repository or names a program, unable to ask
// questions, and unable to fetch. `environment`: of this process.
std::vector<std::string> safe_git_environment(const std::vector<std::string>& environment);

// Options that turn every filter off, by the names that `git config --list --name-only -z` has
// printed. One whose name cannot be said in an option is left out; `unspeakable` is set then.
struct FilterOptions {
  std::vector<std::string> options;
  bool unspeakable = false;
};
FilterOptions without_filters(const std::string& listed);

}  // namespace yonder::ops
