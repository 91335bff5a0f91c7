#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::tree {

// Paths below a root. Whoever names them may be hostile, and somebody may swap a directory for a
// link while we work: so every step is taken from an open directory, and no link is followed.

// "a/b": not empty, not absolute, no empty, "." or ".." part, no NUL, no part of more than 255
// bytes.
Result<void> check_relative(std::string_view path);

// Pure. "a/b" → {"a", "b"}; "b" → {"", "b"}.
struct SplitPath {
  std::string_view parent;
  std::string_view name;
};
SplitPath split_path(std::string_view path);

// The directory of that relative path; "" is the root itself.
Result<Fd> open_directory_beneath(int root, std::string_view relative);

// Remembers the directory that was used last: files mostly come one directory after the other.
class Directories {
 public:
  // `root` is borrowed.
  explicit Directories(int root) : root_(root) {}

  // Borrowed until the next call. Errors name the path.
  Result<int> open(std::string_view relative);
  // The same, making what is missing, for the owner alone until somebody sets its mode.
  Result<int> open_or_make(std::string_view relative);
  // Whatever is remembered may have been moved or removed.
  void forget();
  // How many directories open_or_make() has made.
  std::uint64_t made() const { return made_; }
  // Grows with every directory that had to be opened: the same number, the same directory.
  std::uint64_t opened() const { return opened_; }

 private:
  Result<int> find(std::string_view relative, bool make);

  int root_;
  std::string path_;
  Fd fd_;
  std::uint64_t made_ = 0;
  std::uint64_t opened_ = 0;
};

}  // namespace yonder::tree
