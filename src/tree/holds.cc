#include "tree/holds.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

namespace yonder::tree {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// From the directory up to the root.
std::vector<std::string> way_to(std::string directory) {
  std::vector<std::string> way{directory};
  while (directory != "/" && !directory.empty()) {
    const std::size_t slash = directory.find_last_of('/');
    directory = slash == 0 || slash == std::string::npos ? "/" : directory.substr(0, slash);
    way.push_back(directory);
  }
  return way;
}

// From the root down: the directory itself may be a mount that answers to nobody, and is looked at
// only when nothing above it is the one.
bool is_on_the_way(const struct stat& info, const std::string& directory) {
  const auto way = way_to(directory);
  return std::any_of(way.rbegin(), way.rend(), [&](const std::string& place) {
    struct stat other {};
    return ::stat(place.c_str(), &other) == 0 && same_file(info, other);
  });
}

}  // namespace

bool is_or_holds(const struct stat& info, const std::string& directory) {
  if (directory.empty()) return false;
  if (is_on_the_way(info, directory)) return true;
  const std::unique_ptr<char, Free> real(::realpath(directory.c_str(), nullptr));
  return real && real.get() != directory && is_on_the_way(info, real.get());
}

}  // namespace yonder::tree
