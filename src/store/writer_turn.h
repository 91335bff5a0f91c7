#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <tuple>

#include "base/clock.h"

namespace yonder::store {

// The wait for other writers. A queue that moves is worth waiting for; a process that holds the
// file and does nothing is not.
class WriterTurn {
 public:
  WriterTurn(const std::string& path, Duration patience)
      : path_(path), log_(path + "-wal"), patience_(patience) {}

  void wait_at_most(Duration patience) { patience_ = patience; }

  // For sqlite3_busy_handler: 0 gives up.
  static int on_busy(void* turn, int times) {
    return static_cast<WriterTurn*>(turn)->wait(times) ? 1 : 0;
  }

 private:
  // Of a file: when it was last written, and how long it is. It is only looked at: to open and
  // close it would drop the locks that this process has on it.
  using Look = std::tuple<std::int64_t, std::int64_t, off_t>;
  static Look look_at(const std::string& path);
  bool wait(int times);

  std::string path_;
  std::string log_;
  Duration patience_;
  Instant began_{};
  Instant moved_{};
  Look file_look_;
  Look log_look_;
};

}  // namespace yonder::store
