#pragma once

#include <string>
#include <string_view>

namespace yonder::cli {

// Foreign text for one line of a terminal or a table: line ends become " / ", tabs become spaces,
// and everything else that a terminal would obey becomes visible.
std::string one_line(std::string_view text);

// What is shown in a field without content.
std::string or_dash(std::string text);

}  // namespace yonder::cli
