#include "ops/key_turn.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <thread>

#include "base/file.h"
#include "base/lock_holder.h"
#include "base/text.h"
#include "tree/file_path.h"

namespace yonder::ops {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);

// Of 256 files: keys that share one wait for each other now and then, and nothing has to be
// cleared away.
std::string lock_name(const std::string& key) {
  return tree::hash_of(key).substr(0, 2);
}

}  // namespace

Result<KeyTurn> KeyTurn::take(const std::string& state_directory, const std::string& key,
                              const CancelToken& cancel) {
  const std::string directory = state_directory + "/key-turns";
  TRY(make_directories(directory));
  const std::string path = concat(directory, "/", lock_name(key));
  KeyTurn turn;
  TRY_ASSIGN(turn.lock_, open_file(path, O_RDWR | O_CREAT));
  while (::flock(turn.lock_.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return errno_error("lock " + path);
    if (cancel.cancelled()) {
      return Error{Errc::Cancelled,
                   concat("cancelled while the run of this key was being placed by ",
                          describe_flock_holder(turn.lock_)),
                   ""};
    }
    std::this_thread::sleep_for(kPause);
  }
  return turn;
}

}  // namespace yonder::ops
