#include "tree/rename.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace yonder::tree {
namespace {

constexpr unsigned kNoReplace = 1;
constexpr unsigned kExchange = 2;

int rename_with(int from_dir, const std::string& from, int to_dir, const std::string& to,
                unsigned flags) {
#ifdef SYS_renameat2
  if (::syscall(SYS_renameat2, from_dir, from.c_str(), to_dir, to.c_str(), flags) == 0) return 0;
  return errno;
#else
  return ENOSYS;
#endif
}

}  // namespace

int rename_new(int from_dir, const std::string& from, int to_dir, const std::string& to) {
  const int failed = rename_with(from_dir, from, to_dir, to, kNoReplace);
  if (failed != EINVAL && failed != ENOSYS && failed != ENOTSUP) return failed;
  struct stat info {};
  if (::fstatat(to_dir, to.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return ::renameat(from_dir, from.c_str(), to_dir, to.c_str()) == 0 ? 0 : errno;
}

int rename_exchange(int one_dir, const std::string& one, int other_dir, const std::string& other) {
  return rename_with(one_dir, one, other_dir, other, kExchange);
}

}  // namespace yonder::tree
