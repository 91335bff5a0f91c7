#include "outpost/read_log_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/file.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kBlock = 16384;

const char* kind_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

std::string not_a_file(const std::string& path, mode_t mode) {
  return concat(path, " is ", kind_of(mode), ", not a regular file");
}

// Where the last `lines` lines of `bytes` begin; nothing (npos) when there are fewer. A newline at
// the very end ends the last line and begins none.
std::size_t begin_of_last(std::string_view bytes, std::uint64_t lines) {
  std::size_t end = bytes.size();
  if (end > 0 && bytes[end - 1] == '\n') --end;
  while (true) {
    const std::size_t newline = end == 0 ? std::string_view::npos : bytes.rfind('\n', end - 1);
    if (newline == std::string_view::npos) return std::string_view::npos;
    if (--lines == 0) return newline + 1;
    end = newline;
  }
}

}  // namespace

void LogFile::look() {
  struct stat info {};
  problem_.clear();
  if (::stat(path_.c_str(), &info) != 0) {
    exists_ = false;
    size_ = 0;
    file_.reset();
    if (errno != ENOENT) problem_ = errno_error(path_).message;
    return;
  }
  exists_ = true;
  modified_ms_ = std::int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
  if (!S_ISREG(info.st_mode)) {
    problem_ = not_a_file(path_, info.st_mode);
    size_ = 0;
    return;
  }
  const bool same = file_ && info.st_dev == device_ && info.st_ino == inode_;
  if (!same) open();
  if (!file_) return;
  // Of the open file: its name may stand for another one by now.
  if (::fstat(file_.get(), &info) == 0) size_ = static_cast<std::uint64_t>(info.st_size);
}

void LogFile::open() {
  file_.reset();
  size_ = 0;
  auto file = open_file(path_, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file) {
    problem_ = file.error().message;
    return;
  }
  struct stat info {};
  if (::fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    problem_ = not_a_file(path_, info.st_mode);
    return;
  }
  replaced_ = replaced_ || inode_ != 0;
  device_ = info.st_dev;
  inode_ = info.st_ino;
  file_ = *std::move(file);
}

std::string LogFile::read(std::uint64_t from, std::uint64_t to) {
  std::string bytes;
  if (!file_ || to <= from) return bytes;
  bytes.resize(to - from);
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t n = ::pread(file_.get(), bytes.data() + have, bytes.size() - have,
                              static_cast<off_t>(from + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) problem_ = errno_error("reading " + path_).message;
    if (n <= 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  bytes_read_ += have;
  return bytes;
}

LastLines last_lines(LogFile& file, std::uint64_t floor, std::uint64_t end, std::uint64_t lines,
                     std::uint64_t max_bytes) {
  LastLines found{.start = end, .bytes = ""};
  const std::uint64_t lowest = end - std::min(end - std::min(floor, end), max_bytes);
  if (lines == 0 || lowest == end) return found;
  std::uint64_t block = kBlock;
  while (found.start > lowest) {
    const std::uint64_t from = found.start - std::min(found.start - lowest, block);
    std::string bytes = file.read(from, found.start);
    if (bytes.size() < found.start - from) return {.start = end, .bytes = ""};  // cut meanwhile
    found.bytes.insert(0, bytes);
    found.start = from;
    const std::size_t begin = begin_of_last(found.bytes, lines);
    if (begin != std::string::npos) {
      found.bytes.erase(0, begin);
      found.start += begin;
      return found;
    }
    block *= 2;  // so that what was read is not looked through too often
  }
  if (found.start == std::min(floor, end)) return found;
  // No room for all of them: whole lines only, unless not even one fits.
  const std::size_t newline = found.bytes.find('\n');
  if (newline != std::string::npos && newline + 1 < found.bytes.size() &&
      file.read(found.start - 1, found.start) != "\n") {
    found.bytes.erase(0, newline + 1);
    found.start += newline + 1;
  }
  return found;
}

}  // namespace yonder::outpost
