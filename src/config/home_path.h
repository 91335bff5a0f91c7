#pragma once

#include <string>
#include <string_view>

namespace yonder::config {

// "~" and "~/x" below `home`; every other path stays as it is, "~other/x" too.
std::string expand_home(std::string_view path, const std::string& home);

// The inverse, for messages: people recognise "~/.ssh/config".
std::string show_path(const std::string& path, const std::string& home);

}  // namespace yonder::config
