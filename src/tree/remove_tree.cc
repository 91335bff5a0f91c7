#include "tree/remove_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <vector>

#include "base/clean_text.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/text.h"
#include "tree/mounts.h"

namespace yonder::tree {
namespace {

constexpr int kMaxDepth = 64;

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};
using Dir = std::unique_ptr<DIR, CloseDir>;

class Remover {
 public:
  explicit Remover(int top) : top_(top) {}

  Result<void> remove(const std::string& name) {
    TRY(remove_at(top_, name, 0));
    // What was too deep was moved up here.
    while (!moved_up_.empty()) {
      const std::string next = moved_up_.back();
      moved_up_.pop_back();
      TRY(remove_at(top_, next, 0));
    }
    return {};
  }

 private:
  Result<void> remove_at(int parent, const std::string& name, int depth) {
    if (::unlinkat(parent, name.c_str(), 0) == 0 || errno == ENOENT) return {};
    const int why = errno;
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) == 0 || errno == ENOENT) return {};
    if (errno == ENOTDIR) return errno_error("remove " + printable(name), why);
    if (depth > kMaxDepth) return move_up(parent, name);
    TRY(empty(parent, name, depth));
    if (::unlinkat(parent, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) {
      return errno_error("remove directory " + printable(name));
    }
    return {};
  }

  Result<void> move_up(int parent, const std::string& name) {
    std::string free = concat(".removing-", random_letters(12));
    if (::renameat(parent, name.c_str(), top_, free.c_str()) != 0) {
      return errno_error("remove deep directory " + printable(name));
    }
    moved_up_.push_back(std::move(free));
    return {};
  }

  Result<void> empty(int parent, const std::string& name, int depth) {
    TRY(check_mount(parent, name));
    TRY_ASSIGN(const Dir directory, open(parent, name));
    if (mounted_on(::dirfd(directory.get())) != mounted_on(top_)) return other_mount(name);
    const int fd = ::dirfd(directory.get());
    std::optional<Error> first;
    while (const dirent* entry = ::readdir(directory.get())) {
      const std::string child = entry->d_name;
      if (child == "." || child == "..") continue;
      if (auto removed = remove_at(fd, child, depth + 1); !removed && !first) {
        first = std::move(removed).error();
      }
    }
    if (first) return std::move(*first);
    return {};
  }

  static Error other_mount(const std::string& name) {
    return Error{Errc::Conflict, concat("a file system is mounted on ", printable(name)),
                 "unmount it first"};
  }

  // What lies behind a mount belongs to another tree, whoever moved the mount into this one. Asked
  // before anything of it is touched.
  Result<void> check_mount(int parent, const std::string& name) const {
    const Fd fd(::openat(parent, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (fd && mounted_on(fd.get()) != mounted_on(top_)) return other_mount(name);
    return {};
  }

  // By way of a descriptor, so that a symlink which takes the name meanwhile is not followed.
  static void make_readable(int parent, const std::string& name) {
    const Fd fd(::openat(parent, name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) return;
    [[maybe_unused]] const int done = ::chmod(concat("/proc/self/fd/", fd.get()).c_str(), 0700);
  }

  static Result<Dir> open(int parent, const std::string& name) {
    constexpr int kFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    int fd = ::openat(parent, name.c_str(), kFlags);
    if (fd < 0 && errno == EACCES) {
      make_readable(parent, name);
      fd = ::openat(parent, name.c_str(), kFlags);
    }
    if (fd < 0) return errno_error("open directory " + printable(name));
    // One's own directory without write permission can be emptied once it has it.
    struct stat info {};
    if (::fstat(fd, &info) == 0 && (info.st_mode & 0300U) != 0300U) {
      [[maybe_unused]] const int done = ::fchmod(fd, 0700);
    }
    Dir directory(::fdopendir(fd));
    if (!directory) {
      ::close(fd);
      return errno_error("read directory " + printable(name));
    }
    return directory;
  }

  int top_;
  std::vector<std::string> moved_up_;
};

}  // namespace

Result<void> remove_tree(int dir_fd, const std::string& name) {
  return Remover(dir_fd).remove(name);
}

}  // namespace yonder::tree
