#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "outpost/activity.h"

namespace yonder::outpost {

// The stream as the process sees it that works on one request.
class WorkerChannel {
 public:
  // `word` ends with a byte when the near side has said all it wanted, and without one when it has
  // given the request up, or is gone.
  WorkerChannel(wire::StreamId stream, Fd input, Fd output, Fd word = Fd())
      : stream_(stream),
        input_(std::move(input)),
        output_(std::move(output)),
        word_(std::move(word)) {}

  // Waits. 0 when the near side has no more to send; Cancelled when it has given up.
  Result<std::size_t> read(char* buffer, std::size_t size);
  // Waits until the near side takes it; an error when nobody is there any more.
  Result<void> write(std::string_view bytes);
  // What was sent and not yet carried out is not wanted any more: to be asked between two orders,
  // however small they are. Looks once in a millisecond.
  bool given_up();
  // To be done when the answer is on its way, and nobody waits any more.
  void afterwards(std::function<void()> work) { afterwards_ = std::move(work); }

 private:
  bool hear_word();
  friend int work_and_answer(WorkerChannel& channel,
                             const std::function<Result<std::string>(WorkerChannel&)>& work);
  wire::StreamId stream_;
  Fd input_;
  Fd output_;
  Fd word_;  // closed: there is no more to hear
  bool given_up_ = false;
  Instant looked_;
  std::function<void()> afterwards_ = [] {};
  std::uint64_t sent_ = 0;
};

// A request that is worked on by a process of its own: file systems may be slow, and a link serves
// others meanwhile. What `work` returns becomes the reply. Bytes that the near side sends are read
// from the channel, those written to it become Data.
using Work = std::function<Result<std::string>(WorkerChannel&)>;

// When the request is forgotten, or the link lost:
enum class WorkerEnd {
  AtOnce,          // the process is terminated
  WhenItHasTidied  // it is told, leaves the rest undone, and ends by itself
};
Result<std::unique_ptr<Activity>> start_worker(wire::StreamId stream, WorkerEnd end,
                                               const Work& work);

}  // namespace yonder::outpost
