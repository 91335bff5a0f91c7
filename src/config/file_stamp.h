#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace yonder::config {

// What a file looked like when it was read, to notice cheaply that it is another one now.
struct FileStamp {
  std::string path;
  bool exists = false;
  bool regular = false;
  mode_t mode = 0;
  dev_t device = 0;
  ino_t inode = 0;
  std::int64_t size = 0;
  std::int64_t modified_ns = 0;
  std::int64_t changed_ns = 0;  // notices chmod too
  // False when the file was written so recently that another write could leave the same times; it
  // is then read again, as git does with its index.
  bool settled = true;
};

// Take the stamp before reading: what is written in between is then noticed the next time.
FileStamp stamp_of(const std::string& path);

// Whether nothing has happened to the file in between, as far as its times tell.
bool is_same(const FileStamp& a, const FileStamp& b);

// Paths that match a shell pattern, sorted; bounded. Leading dots must be matched explicitly.
std::vector<std::string> matches_of(const std::string& pattern);

// Everything that one reading of the settings depended on.
struct Watched {
  struct Pattern {
    std::string pattern;
    std::vector<std::string> matches;
  };
  std::vector<FileStamp> files;
  std::vector<Pattern> patterns;

  const FileStamp& add_file(const std::string& path);
  const std::vector<std::string>& add_pattern(const std::string& pattern);
};

// A few stat() calls; one directory listing per pattern.
bool has_changed(const Watched& watched);

}  // namespace yonder::config
