#pragma once

#include <sys/stat.h>

#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/file_work.h"
#include "base/result.h"

namespace yonder::tree {

// What everything that works on the user's own paths has in common. Links on the way are followed
// here: the user may go wherever the user may go.

// Pure. "~", "~/x" and relative paths, as the user meant them: absolute, without "//", "/." and a
// slash at the end. ".." stays, because what it means depends on links.
Result<std::string> absolute_path(std::string_view path, const std::string& home);

// Pure. "/a/b" → {"/a", "b"}. InvalidArgument when it has no name of its own: "/", "..".
struct PathParts {
  std::string directory;
  std::string name;
};
Result<PathParts> name_and_directory(const std::string& absolute);

// The error that the user should see for a failed system call on a path.
Error path_error(std::string_view doing, std::string_view path, int error_number);

files::Type file_type_of(mode_t mode);
inline std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// A regular file for reading. Never waits for a FIFO, never touches a device.
Result<Fd> open_regular(const std::string& path);
Result<void> check_regular(const struct stat& info, std::string_view path);

Result<Fd> open_directory(const std::string& path);

// 0, or the errno.
int write_fully(const Fd& file, std::string_view content);
// The same; `written` is how much of it was.
int write_fully(const Fd& file, std::string_view content, std::uint64_t& written);

// XXH3, 64 bits, in hex.
std::string hash_of(std::string_view content);
// From the beginning to the end; empty when that is longer than `limit`.
Result<std::string> hash_file(const Fd& file, std::uint64_t limit = UINT64_MAX);

}  // namespace yonder::tree
