#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yonder::cli {

struct ManTopic {
  std::string name;  // "yonder-exec"
  std::string help;  // what `yonder help exec` prints
  std::vector<std::string> see_also;
};

// Pure: the help as a page for man(1), section 1. `version` stands at its foot.
std::string man_page(const ManTopic& topic, std::string_view version);

}  // namespace yonder::cli
