#include "config/file_stamp.h"

#include <glob.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace yonder::config {
namespace {

constexpr std::size_t kMostMatches = 256;
// The coarsest file times in use (FAT) have steps of two seconds.
constexpr std::int64_t kSettledAfterNs = 2'000'000'000;

std::int64_t nanoseconds(const timespec& time) {
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

struct GlobResult {
  glob_t found{};
  GlobResult() = default;
  GlobResult(const GlobResult&) = delete;
  GlobResult& operator=(const GlobResult&) = delete;
  ~GlobResult() { ::globfree(&found); }
};

}  // namespace

FileStamp stamp_of(const std::string& path) {
  FileStamp stamp;
  stamp.path = path;
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return stamp;
  stamp.exists = true;
  stamp.regular = S_ISREG(info.st_mode);
  stamp.mode = info.st_mode;
  stamp.device = info.st_dev;
  stamp.inode = info.st_ino;
  stamp.size = info.st_size;
  stamp.modified_ns = nanoseconds(info.st_mtim);
  stamp.changed_ns = nanoseconds(info.st_ctim);
  stamp.settled = wall_clock_ms() * 1'000'000 - stamp.modified_ns > kSettledAfterNs;
  return stamp;
}

bool is_same(const FileStamp& a, const FileStamp& b) {
  return a.exists == b.exists && a.device == b.device && a.inode == b.inode && a.size == b.size &&
         a.modified_ns == b.modified_ns && a.changed_ns == b.changed_ns && a.mode == b.mode;
}

std::vector<std::string> matches_of(const std::string& pattern) {
  GlobResult result;
  if (::glob(pattern.c_str(), 0, nullptr, &result.found) != 0) return {};
  const std::size_t count = std::min<std::size_t>(result.found.gl_pathc, kMostMatches);
  return {result.found.gl_pathv, result.found.gl_pathv + count};
}

const FileStamp& Watched::add_file(const std::string& path) {
  return files.emplace_back(stamp_of(path));
}

const std::vector<std::string>& Watched::add_pattern(const std::string& pattern) {
  return patterns.emplace_back(Pattern{pattern, matches_of(pattern)}).matches;
}

bool has_changed(const Watched& watched) {
  const auto file_changed = [](const FileStamp& then) {
    return !then.settled || !is_same(then, stamp_of(then.path));
  };
  const auto pattern_changed = [](const Watched::Pattern& then) {
    return then.matches != matches_of(then.pattern);
  };
  return std::any_of(watched.files.begin(), watched.files.end(), file_changed) ||
         std::any_of(watched.patterns.begin(), watched.patterns.end(), pattern_changed);
}

}  // namespace yonder::config
