#include "tree/stretch.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace yonder::tree {

bool is_sparse(const struct stat& info) {
  return static_cast<std::uint64_t>(info.st_blocks) * 512 <
         static_cast<std::uint64_t>(info.st_size);
}

Stretch stretch_at([[maybe_unused]] int fd, std::uint64_t offset, std::uint64_t end) {
#if defined(SEEK_DATA) && defined(SEEK_HOLE)
  const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  if (data < 0 && errno == ENXIO) return {end - offset, true};
  if (data > static_cast<off_t>(offset)) {
    return {std::min(static_cast<std::uint64_t>(data), end) - offset, true};
  }
  const off_t hole = ::lseek(fd, static_cast<off_t>(offset), SEEK_HOLE);
  if (data >= 0 && hole > static_cast<off_t>(offset)) {
    return {std::min(static_cast<std::uint64_t>(hole), end) - offset, false};
  }
#endif
  return {end - offset, false};
}

}  // namespace yonder::tree
