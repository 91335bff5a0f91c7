#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace yonder::cli {

// A help text, taken apart by its form: what is indented by two spaces is a list, a short line that
// ends in a colon is a title, and everything else is prose.

struct HelpItem {
  std::string tag;                    // "--cwd DIR"
  std::string text;                   // what stands in the second column; may be empty
  std::vector<std::string> verbatim;  // lines below it that fit into no column
};

struct HelpBlock {
  std::vector<std::string> prose;  // lines; or, when there are none:
  std::vector<HelpItem> items;
};

struct HelpSection {
  std::string title;  // empty: what stands under none
  std::vector<HelpBlock> blocks;
};

struct HelpOutline {
  std::string summary;             // the first line
  std::vector<std::string> usage;  // without "Usage:"
  std::vector<HelpSection> sections;
};

// Pure.
HelpOutline outline_of(std::string_view help);

}  // namespace yonder::cli
