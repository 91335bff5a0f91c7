#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace yonder::outpost {

struct Said {
  std::string out;
  std::string err;
  enum class End { Whole, TooLate, TooMuch } end = End::Whole;
  int status = 0;  // its own
  int signal = 0;  // that ended it
};

// A process for something that may never come back: a file system whose server is gone, a tool
// whose driver hangs. It is in a session of its own, dies with us, and is given up at its limit,
// killed but not waited for when even that has no effect. A process that adopts the orphans below
// it does not get those of this one.
class LimitedChild {
 public:
  // `work` runs in the child, whose standard output and error are what is collected. Its end is the
  // child's end; it may also become another program.
  static Result<LimitedChild> start(const std::function<void()>& work);

  LimitedChild(LimitedChild&& other) noexcept;
  LimitedChild& operator=(LimitedChild&&) = delete;
  LimitedChild(const LimitedChild&) = delete;
  LimitedChild& operator=(const LimitedChild&) = delete;
  // Ends whatever is left of it, with what it has started.
  ~LimitedChild();

  pid_t pid() const { return pid_; }

 private:
  // How the work ended. False: it goes on. Else its process stays to be waited for.
  bool learn_end(Said& said, const Deadline& deadline) const;

  friend class Collector;
  LimitedChild(pid_t pid, Fd out, Fd err, Fd end)
      : pid_(pid), out_(std::move(out)), err_(std::move(err)), end_(std::move(end)) {}

  pid_t pid_ = -1;
  Fd out_;
  Fd err_;
  Fd end_;  // where somebody stands between: how the work ended
};

// What several children say that work at the same time, in their order. None of them is left after
// the deadline. `max_bytes` holds for each.
std::vector<Said> collect(std::vector<LimitedChild> children, std::size_t max_bytes,
                          const Deadline& deadline);

}  // namespace yonder::outpost
