#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "outpost/limited_child.h"

namespace yonder::outpost {

// Pure. One line of what a foreign program says, fit to be shown: no control characters, not long.
std::string shown(std::string_view text, std::size_t max_bytes);
// Pure. The first line that is not empty, as above; `otherwise` when there is none.
std::string first_line(const Said& said, std::string_view otherwise);

// The executable of this name on PATH, then in the other places; empty when there is none.
std::string find_tool(const std::string& name, std::string_view path,
                      const std::vector<std::string>& places);

// A program asked several things at the same time, in plain English. It is killed at the deadline.
std::vector<Said> ask_tool(const std::string& program,
                           const std::vector<std::vector<std::string>>& questions,
                           const Deadline& deadline);

}  // namespace yonder::outpost
