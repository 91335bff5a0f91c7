#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// A machine that is named by its address: user@host, user@host:port, ssh://[user@]host[:port]. An
// IPv6 address with a port stands in brackets: me@[::1]:22.
struct Destination {
  std::string user;  // empty: ssh decides
  std::string host;
  int port = 0;  // 0: ssh decides
};

// False for a plain name, which says nothing about an address.
bool looks_like_destination(std::string_view text);

// InvalidArgument, beginning with `what`, when it has the form user:password@host. A password would
// be seen in lists of processes; the message does not repeat it.
Result<void> check_no_password(std::string_view text, std::string_view what);

// InvalidArgument, beginning with `what`, when it is malformed. "host" alone is accepted too.
Result<Destination> parse_destination(std::string_view text, std::string_view what);

// One spelling for one machine, which parses to the same destination again.
std::string destination_name(const Destination& destination);

SandboxSpec spec_of(const Destination& destination);

}  // namespace yonder::config
