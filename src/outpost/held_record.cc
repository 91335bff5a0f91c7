#include "outpost/held_record.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/text.h"

namespace yonder::outpost {

HeldRecord::HeldRecord(const RunRecord& record)
    : record_(record),
      directory_(::open(record.directory().c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

RunRecord HeldRecord::reachable() const {
  if (!directory_) return record_;
  const std::string through = concat("/proc/self/fd/", directory_.get());
  // Where /proc is not mounted, the path is all there is.
  return path_exists(through + "/spec") ? record_.reached_through(through) : record_;
}

bool HeldRecord::removed() const {
  struct stat info {};
  if (!directory_ || ::fstat(directory_.get(), &info) != 0) {
    return !path_exists(record_.directory());
  }
  return info.st_nlink == 0;
}

}  // namespace yonder::outpost
