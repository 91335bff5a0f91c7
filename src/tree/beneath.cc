#include "tree/beneath.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kLongestName = 255;
constexpr std::size_t kLongestPath = 64UL * 1024;
constexpr int kDirectory = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

Error wrong(std::string_view path, std::string_view why) {
  const std::string shown = printable(path.substr(0, 200));
  return Error{Errc::InvalidArgument, concat("'", shown, "' ", why), ""};
}

// ELOOP is what O_NOFOLLOW says of a link.
Error step_error(std::string_view path, int number) {
  if (number == ELOOP || number == ENOTDIR) {
    return Error{Errc::Conflict, concat("'", printable(path), "' is not a directory"), ""};
  }
  return errno_error(printable(path), number);
}

// "a/b" below "a"; everything is below "".
bool lies_below(std::string_view path, std::string_view ancestor) {
  if (ancestor.empty()) return true;
  return path.substr(0, ancestor.size()) == ancestor &&
         (path.size() == ancestor.size() || path[ancestor.size()] == '/');
}

}  // namespace

Result<void> check_relative(std::string_view path) {
  if (path.empty()) return wrong(path, "is no path");
  if (path.size() > kLongestPath) return wrong(path, "is too long");
  if (path.front() == '/') return wrong(path, "is absolute");
  if (path.find('\0') != std::string_view::npos) return wrong(path, "holds a NUL byte");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find('/', start), path.size());
    const std::string_view part = path.substr(start, end - start);
    if (part.empty() || part == "." || part == "..") {
      return wrong(path, concat("has '", part, "' as a part"));
    }
    if (part.size() > kLongestName) return wrong(path, "has a name of more than 255 bytes");
    start = end + 1;
  }
  return {};
}

SplitPath split_path(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {"", path};
  return {path.substr(0, slash), path.substr(slash + 1)};
}

Result<Fd> open_directory_beneath(int root, std::string_view relative) {
  Directories directories(root);
  TRY_ASSIGN(const int found, directories.open(relative));
  return duplicate(found);
}

Result<int> Directories::open(std::string_view relative) {
  return find(relative, false);
}

Result<int> Directories::open_or_make(std::string_view relative) {
  return find(relative, true);
}

void Directories::forget() {
  fd_.reset();
  path_.clear();
}

Result<int> Directories::find(std::string_view relative, bool make) {
  if (relative.empty()) return root_;
  if (fd_ && relative == path_) return fd_.get();
  TRY(check_relative(relative));
  const bool onwards = fd_ && lies_below(relative, path_);
  std::size_t start = onwards ? path_.size() + 1 : 0;
  Fd current = onwards ? std::move(fd_) : Fd();
  forget();
  while (start < relative.size()) {
    const std::size_t end = std::min(relative.find('/', start), relative.size());
    const std::string part(relative.substr(start, end - start));
    const int from = current ? current.get() : root_;
    Fd next(::openat(from, part.c_str(), kDirectory));
    if (!next && errno == ENOENT && make) {
      if (::mkdirat(from, part.c_str(), 0700) == 0) {
        ++made_;
      } else if (errno != EEXIST) {
        return step_error(relative.substr(0, end), errno);
      }
      next = Fd(::openat(from, part.c_str(), kDirectory));
    }
    if (!next) return step_error(relative.substr(0, end), errno);
    current = std::move(next);
    start = end + 1;
  }
  fd_ = std::move(current);
  path_ = relative;
  ++opened_;
  return fd_.get();
}

}  // namespace yonder::tree
