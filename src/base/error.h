#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace yonder {

// Few codes, each asking for a different reaction of whoever gets it.
enum class Errc {
  InvalidArgument,  // the caller must change the request
  NotFound,         // no such sandbox, run or file
  Conflict,         // the thing exists already, or somebody else holds it
  Config,           // a setting must be changed
  AuthNeeded,       // a person must log in
  HostKey,          // a person must look at the host key
  Unreachable,      // try again later; says nothing about the work over there
  LinkLost,         // was connected, is not now; a retry re-attaches
  NoPlace,          // the far side has no usable directory
  Denied,           // the system does not allow it to this user
  NoRoom,           // a disk is full, or a quota used up
  Unsupported,      // the far side cannot do this
  Timeout,          // the call's own time is over
  Cancelled,        // the caller asked for it
  Protocol,         // the other side broke the rules
  Internal,         // a bug, or this machine is out of something
};

// The stable name that clients see, such as "auth_needed".
std::string_view name_of(Errc code);
// The inverse of name_of; unknown names become Protocol.
Errc errc_from_name(std::string_view name);
// Whether the same request can succeed later without anybody changing anything.
bool is_retryable(Errc code);

// What could not be done (message), for people and agents; and what to do next (hint).
struct Error {
  Errc code = Errc::Internal;
  std::string message;
  std::string hint;

  Error context(std::string_view what) && {
    message.insert(0, ": ");
    message.insert(0, what);
    return std::move(*this);
  }
};

// "open /x: No such file or directory" for the current errno.
Error errno_error(std::string_view what);
Error errno_error(std::string_view what, int error_number);

}  // namespace yonder
