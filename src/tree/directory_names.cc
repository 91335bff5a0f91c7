#include "tree/directory_names.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace yonder::tree {

Result<std::vector<std::string>> names_in(int directory) {
  // A description of its own: the position in a copied one would be shared.
  const int own = ::openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return errno_error("reading the directory");
  DIR* stream = ::fdopendir(own);
  if (stream == nullptr) {
    auto error = errno_error("reading the directory");
    ::close(own);
    return error;
  }
  std::vector<std::string> names;
  errno = 0;
  while (const dirent* entry = ::readdir(stream)) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
    errno = 0;
  }
  const int failed = errno;
  ::closedir(stream);
  if (failed != 0) return errno_error("reading the directory", failed);
  return names;
}

}  // namespace yonder::tree
