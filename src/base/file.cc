#include "base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/id.h"
#include "base/text.h"

namespace yonder {

Result<Fd> open_file(const std::string& path, int flags) {
  Fd fd(::open(path.c_str(), flags | O_CLOEXEC, 0600));
  if (!fd) return errno_error("open " + path);
  return fd;
}

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
  // A pipe in its place must not hold up the reader: what a command has left may be anything.
  TRY_ASSIGN(const Fd fd, open_file(path, O_RDONLY | O_NONBLOCK));
  struct stat info {};
  if (::fstat(fd.get(), &info) == 0 && S_ISFIFO(info.st_mode)) {
    return Error{Errc::InvalidArgument, path + ": is a pipe, not a file", ""};
  }
  std::string content;
  std::array<char, 16384> buffer{};
  while (true) {
    auto n = read_some(fd, buffer.data(), buffer.size());
    if (!n) return std::move(n).error().context(path);
    if (*n == 0) return content;
    content.append(buffer.data(), *n);
    if (content.size() > max_bytes) {
      return Error{Errc::InvalidArgument, concat(path, ": larger than ", max_bytes, " bytes"), ""};
    }
  }
}

Result<void> make_directory(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) != 0) return errno_error("mkdir " + path);
  return {};
}

Result<void> make_directories(const std::string& path) {
  if (::mkdir(path.c_str(), 0700) == 0) return {};
  const int first_error = errno;
  struct stat info {};
  if (first_error == EEXIST) {
    if (::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return errno_error("mkdir " + path, ENOTDIR);
  }
  const std::size_t slash = path.find_last_of('/');
  if (first_error != ENOENT || slash == std::string::npos || slash == 0) {
    return errno_error("mkdir " + path, first_error);
  }
  TRY(make_directories(path.substr(0, slash)));
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) return errno_error("mkdir " + path);
  return {};
}

bool path_exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

Result<void> write_file_atomically(const std::string& path, std::string_view content,
                                   Durability durability) {
  const std::string temporary = concat(path, ".", random_letters(8), ".tmp");
  const auto write_temporary = [&]() -> Result<void> {
    TRY_ASSIGN(const Fd fd, open_file(temporary, O_WRONLY | O_CREAT | O_EXCL));
    TRY(write_all(fd, content));
    if (durability == Durability::Power && ::fsync(fd.get()) != 0) return errno_error("fsync");
    return {};
  };
  auto written = write_temporary();
  if (written && std::rename(temporary.c_str(), path.c_str()) != 0) written = errno_error("rename");
  if (!written) {
    ::unlink(temporary.c_str());
    return std::move(written).error().context("writing " + path);
  }
  return {};
}

}  // namespace yonder
