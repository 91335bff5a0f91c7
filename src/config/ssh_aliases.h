#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/file_stamp.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// The parts of an ssh client configuration that name machines. Everything else is ssh's business.
struct SshConfigEntry {
  enum class Kind { Alias, Include };
  Kind kind = Kind::Alias;
  std::string text;  // the alias, or the path pattern of the Include
  int line = 0;
  bool operator==(const SshConfigEntry&) const = default;
};

// Pure. Host patterns (with * ? or !) name no single machine and are left out.
std::vector<SshConfigEntry> parse_ssh_config(std::string_view text);

struct SshAliases {
  std::vector<SandboxSpec> sandboxes;  // the first mention of each alias
  std::vector<std::string> warnings;
  bool found = false;  // the file exists
};

// Follows Includes. Every file is read at most once, so that a circle ends. `watched` gets what the
// answer depends on.
SshAliases read_ssh_aliases(const std::string& home, Watched& watched);

// Every file that ssh reads its settings from, the machine's own ones too.
void watch_ssh_config(const std::string& home, Watched& watched);

}  // namespace yonder::config
