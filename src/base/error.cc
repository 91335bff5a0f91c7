#include "base/error.h"

#include <array>
#include <cerrno>
#include <cstring>

namespace yonder {
namespace {

struct Named {
  Errc code;
  std::string_view name;
  bool retryable;
};

constexpr std::array kNames{
    Named{Errc::InvalidArgument, "invalid_argument", false},
    Named{Errc::NotFound, "not_found", false},
    Named{Errc::Conflict, "conflict", false},
    Named{Errc::Config, "config", false},
    Named{Errc::AuthNeeded, "auth_needed", false},
    Named{Errc::HostKey, "host_key", false},
    Named{Errc::Unreachable, "unreachable", true},
    Named{Errc::LinkLost, "link_lost", true},
    Named{Errc::NoPlace, "no_place", false},
    Named{Errc::Denied, "permission_denied", false},
    Named{Errc::NoRoom, "no_room", false},
    Named{Errc::Unsupported, "unsupported", false},
    Named{Errc::Timeout, "timeout", true},
    Named{Errc::Cancelled, "cancelled", false},
    Named{Errc::Protocol, "protocol", false},
    Named{Errc::Internal, "internal", false},
};

}  // namespace

std::string_view name_of(Errc code) {
  for (const auto& entry : kNames) {
    if (entry.code == code) return entry.name;
  }
  return "internal";
}

Errc errc_from_name(std::string_view name) {
  for (const auto& entry : kNames) {
    if (entry.name == name) return entry.code;
  }
  return Errc::Protocol;
}

bool is_retryable(Errc code) {
  for (const auto& entry : kNames) {
    if (entry.code == code) return entry.retryable;
  }
  return false;
}

Error errno_error(std::string_view what) {
  return errno_error(what, errno);
}

Error errno_error(std::string_view what, int error_number) {
  Error error{Errc::Internal, std::string(what) + ": " + std::strerror(error_number), ""};
  if (error_number == ENOENT) error.code = Errc::NotFound;
  if (error_number == EEXIST) error.code = Errc::Conflict;
  if (error_number == EACCES || error_number == EPERM || error_number == EROFS) {
    error.code = Errc::Denied;
  }
  if (error_number == ENOTDIR || error_number == EISDIR || error_number == ELOOP ||
      error_number == ENAMETOOLONG) {
    error.code = Errc::InvalidArgument;
  }
  if (error_number == ENOTDIR) error.hint = "something on the way there is not a directory";
  if (error_number == ENOSPC || error_number == EDQUOT) error.code = Errc::NoRoom;
  return error;
}

}  // namespace yonder
