#include <algorithm>

#include "base/text.h"
#include "config/ssh_aliases.h"
#include "fuzz/target.h"

// The user's ssh configuration, as far as it names machines.
namespace yonder::fuzz {
namespace {

void ssh_config(std::string_view bytes) {
  const auto lines = static_cast<int>(std::count(bytes.begin(), bytes.end(), '\n')) + 1;
  std::size_t size = 0;
  for (const auto& entry : config::parse_ssh_config(bytes)) {
    require(entry.line >= 1 && entry.line <= lines, "an entry stands in a line");
    require(!entry.text.empty(), "an entry has a text");
    const bool pattern = entry.text.find_first_of("*?!") != std::string::npos;
    require(entry.kind == config::SshConfigEntry::Kind::Include || !pattern,
            "an alias is no pattern");
    size += entry.text.size();
  }
  require(size <= bytes.size(), "no entry is made up");
}

const Registered kSshConfig("ssh_config", ssh_config);

}  // namespace
}  // namespace yonder::fuzz
