#include "tree/list_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>
#include <queue>
#include <vector>

#include "base/text.h"
#include "tree/file_path.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kMaxErrors = 50;
constexpr std::uint64_t kDeepest = 200;  // each level keeps a directory open
// An answer has to fit into one message.
constexpr std::size_t kMaxAnswer = 6UL * 1024 * 1024;
constexpr std::size_t kEntryCost = 120;

struct CloseDir {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

struct Names {
  std::vector<std::string> first;  // sorted
  std::uint64_t all = 0;           // how many there are
};

// The first `limit` names of a directory, without keeping the others.
Result<Names> first_names(int dir_fd, std::uint64_t limit) {
  const int own = ::openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (own < 0) return errno_error("open");
  const std::unique_ptr<DIR, CloseDir> directory(::fdopendir(own));
  if (!directory) {
    ::close(own);
    return errno_error("open");
  }
  std::priority_queue<std::string> largest_on_top;
  Names names;
  errno = 0;
  while (const dirent* entry = ::readdir(directory.get())) {
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    ++names.all;
    if (largest_on_top.size() < limit) {
      largest_on_top.emplace(name);
    } else if (limit > 0 && name < largest_on_top.top()) {
      largest_on_top.pop();
      largest_on_top.emplace(name);
    }
  }
  if (errno != 0) return errno_error("read");
  names.first.resize(largest_on_top.size());
  for (std::size_t i = names.first.size(); i-- > 0; largest_on_top.pop()) {
    names.first[i] = largest_on_top.top();
  }
  return names;
}

std::optional<std::string> link_target(int dir_fd, const std::string& name) {
  std::array<char, 4096> target{};
  const ssize_t n = ::readlinkat(dir_fd, name.c_str(), target.data(), target.size());
  if (n < 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(n));
}

files::Entry describe(const struct stat& info, const std::string& path) {
  return {.path = path,
          .type = file_type_of(info.st_mode),
          .size = static_cast<std::uint64_t>(info.st_size),
          .mtime_ns = nanoseconds(info.st_mtim),
          .mode = static_cast<std::uint32_t>(info.st_mode & 07777U)};
}

class DirectoryListing {
 public:
  DirectoryListing(const files::ListRequest& request, files::ListReply& reply)
      : request_(request), reply_(reply) {
    depth_limit_ = request.recursive ? request.max_depth.value_or(UINT64_MAX) : 1;
  }

  // False: there is no room for more.
  bool list(int dir_fd, const std::string& prefix, std::uint64_t depth) {
    // One more than there is room for tells whether there are more.
    const std::uint64_t room = request_.max_entries - reply_.entries.size();
    const auto names = first_names(dir_fd, room + 1);
    if (!names) {
      note(prefix, names.error().message);
      return true;
    }
    if (depth == 1 && depth_limit_ == 1) reply_.total = names->all;
    for (const std::string& name : names->first) {
      if (!add(dir_fd, name, prefix.empty() ? name : concat(prefix, "/", name), depth)) {
        return false;
      }
    }
    return true;
  }

 private:
  bool add(int dir_fd, const std::string& name, const std::string& path, std::uint64_t depth) {
    struct stat info {};
    if (::fstatat(dir_fd, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno != ENOENT) note(path, errno_error("look at").message);
      return true;  // it may just have been removed
    }
    used_ += path.size() + kEntryCost;
    if (reply_.entries.size() >= request_.max_entries || used_ > kMaxAnswer) {
      reply_.truncated = true;
      return false;
    }
    reply_.entries.push_back(describe(info, path));
    if (S_ISLNK(info.st_mode)) reply_.entries.back().link_target = link_target(dir_fd, name);
    if (!S_ISDIR(info.st_mode) || depth >= depth_limit_) return true;
    return descend(dir_fd, name, path, depth);
  }

  bool descend(int dir_fd, const std::string& name, const std::string& path, std::uint64_t depth) {
    if (depth >= kDeepest) {
      note(path, "too deep to look into");
      return true;
    }
    const Fd child(::openat(dir_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (child) return list(child.get(), path, depth + 1);
    note(path, errno_error("open").message);
    return true;
  }

  void note(const std::string& path, const std::string& reason) {
    if (reply_.errors.size() < kMaxErrors) reply_.errors.push_back({path, reason});
  }

  const files::ListRequest& request_;
  files::ListReply& reply_;
  std::uint64_t depth_limit_ = 1;
  std::size_t used_ = 0;
};

}  // namespace

Result<files::ListReply> list_files(const files::ListRequest& request, const std::string& home) {
  files::ListReply reply;
  TRY_ASSIGN(reply.path, absolute_path(request.path, home));
  struct stat info {};
  // A link that leads nowhere is shown itself.
  if (::stat(reply.path.c_str(), &info) != 0 && ::lstat(reply.path.c_str(), &info) != 0) {
    return path_error("list", reply.path, errno);
  }
  if (!S_ISDIR(info.st_mode)) {
    reply.total = 1;
    reply.truncated = request.max_entries == 0;
    if (reply.truncated) return reply;
    reply.entries.push_back(describe(info, ""));
    if (S_ISLNK(info.st_mode)) {
      reply.entries.back().link_target = link_target(AT_FDCWD, reply.path);
    }
    return reply;
  }
  TRY_ASSIGN(const Fd directory, open_directory(reply.path));
  DirectoryListing(request, reply).list(directory.get(), "", 1);
  if (!reply.truncated && !reply.total) reply.total = reply.entries.size();
  return reply;
}

}  // namespace yonder::tree
