#include "config/destination.h"

#include "base/text.h"
#include "config/address.h"

namespace yonder::config {
namespace {

constexpr std::string_view kScheme = "ssh://";

struct HostAndPort {
  std::string_view host;
  std::optional<std::string_view> port;
};

// Several colons without brackets are an IPv6 address without a port.
Result<HostAndPort> split_port(std::string_view text, std::string_view what) {
  if (text.starts_with('[')) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) {
      return Error{Errc::InvalidArgument, concat(what, " lacks a closing ']'"), ""};
    }
    const std::string_view host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (rest.empty()) return HostAndPort{host, std::nullopt};
    if (rest.front() == ':') return HostAndPort{host, rest.substr(1)};
    return Error{Errc::InvalidArgument, concat(what, " has text after ']' that is no port"), ""};
  }
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find(':', colon + 1) != std::string_view::npos) {
    return HostAndPort{text, std::nullopt};
  }
  return HostAndPort{text.substr(0, colon), text.substr(colon + 1)};
}

}  // namespace

bool looks_like_destination(std::string_view text) {
  return text.starts_with(kScheme) || text.starts_with('[') ||
         text.find('@') != std::string_view::npos;
}

Result<void> check_no_password(std::string_view text, std::string_view what) {
  if (text.starts_with(kScheme)) text.remove_prefix(kScheme.size());
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos || text.find(':') >= at) return {};
  return Error{Errc::InvalidArgument,
               concat(what, " holds a password, or a user with a colon in the name"),
               "leave the password out: ssh asks for it, `yonder login` keeps the login, and "
               "password_command in config.toml answers; such a user goes into `user` there"};
}

Result<Destination> parse_destination(std::string_view text, std::string_view what) {
  TRY(check_no_password(text, what));
  if (text.starts_with(kScheme)) {
    text.remove_prefix(kScheme.size());
    if (text.ends_with('/')) text.remove_suffix(1);
  }
  Destination out;
  // The last '@': "user@domain" may be the user.
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    out.user = text.substr(0, at);
    text.remove_prefix(at + 1);
    TRY(check_user(out.user, concat("the user of ", what)));
  }
  TRY_ASSIGN(const HostAndPort address, split_port(text, what));
  TRY(check_host(address.host, concat("the host of ", what)));
  out.host = address.host;
  if (!address.port) return out;
  const auto port = parse_port(*address.port);
  if (!port) {
    return Error{Errc::InvalidArgument,
                 concat("the port of ", what, " must be a number from 1 to 65535"), ""};
  }
  out.port = *port;
  return out;
}

std::string destination_name(const Destination& destination) {
  const bool bracket = destination.host.find(':') != std::string::npos;
  std::string name =
      destination.user.empty() ? std::string(kScheme) : concat(destination.user, "@");
  name += bracket ? concat("[", destination.host, "]") : destination.host;
  if (destination.port != 0) name += concat(":", destination.port);
  return name;
}

SandboxSpec spec_of(const Destination& destination) {
  SandboxSpec spec;
  spec.name = destination_name(destination);
  spec.backend = Backend::Ssh;
  spec.user = destination.user;
  spec.host = destination.host;
  spec.port = destination.port;
  spec.origin = "the request";
  return spec;
}

}  // namespace yonder::config
