#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "e2e/fixture.h"

namespace yonder::e2e {

class AuthTest : public EndToEnd {
 protected:
  void SetUp() override;

  // The environment that names one machine, on 127.0.0.1, and the password there.
  static std::vector<std::string> by_password(const lab::SshServer& server, const std::string& user,
                                              const std::string& password);
  // What `id -un` says there.
  static std::string whoami(McpClient& agent, const std::string& sandbox);
  lab::SshKey new_locked_key(const std::string& passphrase);
  static void change_password(const std::string& user, const std::string& password);
  // The client's own known_hosts, for machines without a Host block.
  void write_known_hosts(std::uint16_t port, const std::string& host_key);
  static std::size_t occurrences(std::string_view text, std::string_view part);
};

}  // namespace yonder::e2e
