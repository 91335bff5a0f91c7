#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "config/file_stamp.h"

namespace yonder::config {

// Who a file or directory belongs to, and who may do what with it.
struct Ownership {
  uid_t owner = 0;
  mode_t mode = 0;
  uid_t me = 0;
};

// Pure. Why another user may have written it, such as "belongs to another user (uid 1001)"; empty:
// none can have. In a directory with the sticky bit, others cannot replace what is not theirs.
std::string why_not_trusted(const Ownership& seen);

struct TrustedText {
  std::string text;
  mode_t mode = 0;
};

struct TrustedPath {
  std::string path;
  std::string shown;  // for messages
  std::string home;   // directories are looked at up to here
};

// Settings name programs to run and machines to log in to. As ssh does with its own files, they are
// read only when no other user but root can have written them: neither the file, nor a directory
// that leads to it from the home directory, or from "/" when it lies elsewhere. `watched` gets the
// directory that is wrong. Errors are Errc::Config and say what to type.
Result<TrustedText> read_trusted_file(const TrustedPath& file, std::uint64_t max_bytes,
                                      Watched& watched);

}  // namespace yonder::config
