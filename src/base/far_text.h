#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace yonder {

// Words of another machine, or of a program that speaks for it, inside a sentence of ours. They are
// told as what they are: bounded, printable, on one line, and in quotes that they cannot leave.

inline constexpr std::size_t kMostFarText = 600;

// Pure. 'no such file'
std::string quoted_far_text(std::string_view text, std::size_t most = kMostFarText);
// Pure. the machine said: 'no such file'
std::string machine_said(std::string_view text);
// Pure. A name, such as a host's: without quotes where it looks like one.
std::string far_name(std::string_view name);

}  // namespace yonder
