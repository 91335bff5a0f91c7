#include "tree/holds.h"

#include <cstdlib>
#include <memory>

namespace yonder::tree {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool is_on_the_way(const struct stat& info, std::string directory) {
  while (true) {
    struct stat other {};
    if (::stat(directory.c_str(), &other) == 0 && same_file(info, other)) return true;
    if (directory == "/" || directory.empty()) return false;
    const std::size_t slash = directory.find_last_of('/');
    directory = slash == 0 || slash == std::string::npos ? "/" : directory.substr(0, slash);
  }
}

}  // namespace

bool is_or_holds(const struct stat& info, const std::string& directory) {
  if (directory.empty()) return false;
  if (is_on_the_way(info, directory)) return true;
  const std::unique_ptr<char, Free> real(::realpath(directory.c_str(), nullptr));
  return real && real.get() != directory && is_on_the_way(info, real.get());
}

}  // namespace yonder::tree
