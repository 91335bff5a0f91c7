#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/fd.h"

namespace yonder::outpost {

// A file that somebody else writes: it may grow, be cut, be replaced or vanish at any moment.
// Anything but a regular file is refused without being opened, so that nothing ever waits.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)) {}

  // Looks what is there now. What size(), problem() and the others say is of this moment.
  void look();

  const std::string& path() const { return path_; }
  bool exists() const { return exists_; }
  const std::string& problem() const { return problem_; }  // why it cannot be read
  std::uint64_t size() const { return size_; }
  std::int64_t modified_ms() const { return modified_ms_; }
  // Whether another file has taken its place since the first look.
  bool replaced() const { return replaced_; }

  // The bytes from `from` up to `to`; fewer when the file was cut meanwhile or cannot be read.
  std::string read(std::uint64_t from, std::uint64_t to);
  // What all of this has cost so far.
  std::uint64_t bytes_read() const { return bytes_read_; }

 private:
  void open();

  std::string path_;
  Fd file_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
  bool exists_ = false;
  bool replaced_ = false;
  std::string problem_;
  std::uint64_t size_ = 0;
  std::int64_t modified_ms_ = 0;
  std::uint64_t bytes_read_ = 0;
};

struct LastLines {
  std::uint64_t start = 0;
  std::string bytes;
};
// The last `lines` lines between `floor` and `end`, whole ones and no more than `max_bytes` of
// them; of a longer line its end. Reads backwards, no more than it returns and one block.
LastLines last_lines(LogFile& file, std::uint64_t floor, std::uint64_t end, std::uint64_t lines,
                     std::uint64_t max_bytes);

}  // namespace yonder::outpost
