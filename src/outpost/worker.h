#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"
#include "outpost/activity.h"

namespace yonder::outpost {

// The stream as the process sees it that works on one request.
class WorkerChannel {
 public:
  WorkerChannel(wire::StreamId stream, Fd input, Fd output)
      : stream_(stream), input_(std::move(input)), output_(std::move(output)) {}

  // Waits. 0 when the near side has no more to send, or is gone.
  Result<std::size_t> read(char* buffer, std::size_t size);
  // Waits until the near side takes it; an error when nobody is there any more.
  Result<void> write(std::string_view bytes);

 private:
  friend int work_and_answer(WorkerChannel& channel,
                             const std::function<Result<std::string>(WorkerChannel&)>& work);
  wire::StreamId stream_;
  Fd input_;
  Fd output_;
  std::uint64_t sent_ = 0;
};

// A request that is worked on by a process of its own: file systems may be slow, and a link serves
// others meanwhile. What `work` returns becomes the reply. Bytes that the near side sends are read
// from the channel, those written to it become Data.
using Work = std::function<Result<std::string>(WorkerChannel&)>;

// When the request is forgotten, or the link lost:
enum class WorkerEnd {
  AtOnce,          // the process is terminated
  WhenItHasTidied  // it sees the end of its input, and ends by itself
};
Result<std::unique_ptr<Activity>> start_worker(wire::StreamId stream, WorkerEnd end,
                                               const Work& work);

}  // namespace yonder::outpost
