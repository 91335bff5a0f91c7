#include "outpost/open_output.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"
#include "outpost/remove_run.h"

namespace yonder::outpost {

bool writes_output_of(pid_t pid, const std::string& run_id) {
  const std::string descriptors = concat("/proc/", pid, "/fd");
  for (const auto& name : names_in(descriptors)) {
    const std::string link = concat(descriptors, "/", name);
    struct stat info {};
    // The link's own rights are those of the descriptor.
    if (::lstat(link.c_str(), &info) != 0 || (info.st_mode & S_IWUSR) == 0) continue;
    std::array<char, 4096> target{};
    const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
    const std::string_view path(target.data(), static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    for (const char* file : {"/out", "/err", "/log"}) {
      if (path.ends_with(concat("/", run_id, file))) return true;
    }
  }
  return false;
}

}  // namespace yonder::outpost
