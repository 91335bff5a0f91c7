#pragma once

#include <string>
#include <vector>

namespace yonder::outpost {

// What is in a directory; nothing when it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

// Removes the files of a run and its directory. Only plain files are ever in there.
void remove_run(const std::string& directory);

// Removes what nobody needs any more: records of runs that ended longer ago than they wanted to be
// kept (never a live one), and programs of other versions that were not used for a month. Does
// nothing when it was done within the last hour.
void collect_leftovers(const std::string& state_dir, const std::string& program_path);

}  // namespace yonder::outpost
