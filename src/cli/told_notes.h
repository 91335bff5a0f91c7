#pragma once

#include <string>
#include <vector>

namespace yonder::cli {

// What people were told the last time about one thing, so that it is said again only when it has
// changed. A convenience: when the file cannot be read or written, everything is new.
std::vector<std::string> told_notes(const std::string& state_directory, const std::string& about);
void remember_told(const std::string& state_directory, const std::string& about,
                   const std::vector<std::string>& notes);

}  // namespace yonder::cli
