#pragma once

#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::config {

// The right to replace a file, held by one of our processes at a time. Its directory is made where
// it is missing.
class FileTurn {
 public:
  // Waits for the others, but not for ever: Conflict.
  static Result<FileTurn> take(const std::string& path);

  // Where the file itself is: a symbolic link is not to be replaced by what it leads to.
  const std::string& path() const { return path_; }

 private:
  FileTurn() = default;
  std::string path_;
  Fd directory_;  // locked
};

}  // namespace yonder::config
