#include "config/address.h"
#include "config/destination.h"
#include "fuzz/target.h"

// A machine that is named by its address.
namespace yonder::fuzz {
namespace {

void destination(std::string_view bytes) {
  const auto found = config::parse_destination(bytes, "sandbox_name");
  if (!found) return require_printable(found.error().message, "a failure can be shown");
  require(config::check_host(found->host, "host").has_value(), "a host is no option");
  require(found->user.empty() || config::check_user(found->user, "user"), "nor is a user");
  require(found->port >= 0 && found->port <= 65535, "a port is one");
  const std::string name = config::destination_name(*found);
  const auto again = config::parse_destination(name, "sandbox_name");
  require(again && again->host == found->host && again->user == found->user &&
              again->port == found->port,
          "a name leads to the same machine again");
}

const Registered kDestination("destination", destination);

}  // namespace
}  // namespace yonder::fuzz
