#include "config/file_turn.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/file.h"
#include "base/lock_holder.h"
#include "base/text.h"

namespace yonder::config {
namespace {

constexpr auto kTurnPause = std::chrono::milliseconds(20);
constexpr auto kTurnLimit = std::chrono::seconds(10);

std::string target_of(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(::realpath(path.c_str(), nullptr), std::free);
  return found ? found.get() : path;
}

}  // namespace

Result<FileTurn> FileTurn::take(const std::string& path) {
  FileTurn turn;
  turn.path_ = target_of(path);
  const std::size_t slash = turn.path_.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : turn.path_.substr(0, slash + 1);
  TRY(make_directories(directory.size() > 1 && directory.ends_with('/')
                           ? directory.substr(0, directory.size() - 1)
                           : directory));
  TRY_ASSIGN(turn.directory_, open_file(directory, O_RDONLY | O_DIRECTORY));
  const Deadline limit = Deadline::after(kTurnLimit);
  while (::flock(turn.directory_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("lock " + directory);
    if (limit.expired()) {
      return Error{Errc::Conflict,
                   concat(path, " cannot be changed: its directory is locked by ",
                          describe_flock_holder(turn.directory_)),
                   "nothing was changed; try again when that process has ended, or has given up "
                   "its lock (flock)"};
    }
    std::this_thread::sleep_for(kTurnPause);
  }
  return turn;
}

}  // namespace yonder::config
