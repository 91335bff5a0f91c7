#pragma once

#include "base/clean_text.h"
#include "base/result.h"
#include "base/text.h"
#include "tree/apply.h"

// What goes wrong with a part; for the files of PartFile only.
namespace yonder::tree::part_errors {

inline Error failed(const FileHead& head) {
  return errno_error(printable(head.path));
}

inline Error not_as_sent(const FileHead& head) {
  return Error{Errc::Protocol, concat("'", printable(head.path), "' did not arrive as it was sent"),
               "sync again: what arrived well is kept"};
}

inline Error taken_over(const FileHead& head) {
  return Error{Errc::Conflict,
               concat("'", printable(head.path), "' is being copied by another sync, too"),
               "sync again when that has ended"};
}

inline Error outdated(const FileHead& head) {
  return Error{Errc::Conflict,
               concat("'", printable(head.path), "' was changed while it was being copied"),
               "sync again when nobody writes to it"};
}

}  // namespace yonder::tree::part_errors
