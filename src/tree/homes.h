#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yonder::tree {

// Of the people who have an account on this machine itself, and of root. Whoever is known to a
// directory service only is not among them.
std::vector<std::string> homes_of_people();

// Pure: from the text of a passwd(5) file.
std::vector<std::string> homes_in(std::string_view passwd);

}  // namespace yonder::tree
