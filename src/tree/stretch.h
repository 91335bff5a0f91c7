#pragma once

#include <sys/stat.h>

#include <cstdint>

namespace yonder::tree {

// A piece of a file that is a hole as a whole, or none.
struct Stretch {
  std::uint64_t size = 0;
  bool hole = false;
};

// Whether it has holes at all: mostly not, and then nobody needs to look for them.
bool is_sparse(const struct stat& info);

// What is at `offset` of an open file, up to `end`. Moves the file's own position.
Stretch stretch_at(int fd, std::uint64_t offset, std::uint64_t end);

}  // namespace yonder::tree
