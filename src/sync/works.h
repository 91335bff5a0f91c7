#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "sync/plan.h"
#include "tree/hash.h"
#include "tree/part.h"

namespace yonder::sync {

// A copy is cut into pieces of work that any link can do.
struct Work {
  enum class Kind : std::uint8_t { Bundle, Segment, Delta };
  Kind kind = Kind::Bundle;
  std::vector<std::size_t> actions;  // of the plan; one, but for a bundle
  std::uint64_t segment = 0;
  std::uint64_t bytes = 0;
  // In the queue one work may stand for many segments that follow each other: a file may have more
  // of them than there is memory. Whoever takes one gets the first.
  std::uint64_t segments = 1;
  bool has_segment = false;  // the target has a segment of this hash already
  tree::Hash hash;
  std::vector<tree::SegmentRun> runs;  // of a difference: which segments
};

// Of a file that travels in segments.
struct LargeFile {
  using Sent = Guarded<tree::Segments>;
  std::size_t action = 0;
  bool delta = false;                                     // as the difference to the old one
  std::shared_ptr<Sent> sent = std::make_shared<Sent>();  // of a push: what is there, or will be
  std::vector<tree::SegmentRun> runs;                     // of a pull: all but the holes
};

// Pure: the work for all files of a plan but the large ones, of which nobody knows yet what is
// there already. Those of which the target has an old version go as a difference, when that is
// wanted.
struct WorkList {
  std::deque<Work> works;
  std::vector<LargeFile> large;
  std::vector<std::size_t> too_large;  // actions that nobody can carry out
  std::uint64_t bytes = 0;
};
// Of a file that is too large.
Error too_large(const std::string& path);
// The work for some segments of a file of this size, one after the other.
Work segment_work(std::size_t action, std::uint64_t size, const tree::SegmentRun& run);
// The work for what is missing of a large file. One signature serves all segments of a difference:
// that is one work.
void add_missing(WorkList& list, const LargeFile& file, std::uint64_t size,
                 const std::vector<tree::SegmentRun>& missing);
WorkList cut_into_works(const Plan& plan, bool deltas);
// Whether anything could go as a difference.
bool has_delta(const Plan& plan);

// Hands works to the links' threads.
class WorkQueue {
 public:
  explicit WorkQueue(std::deque<Work> works) {
    state_.change([&](State& state) { state.works = std::move(works); });
  }

  // Nothing when none is left, or something went wrong.
  std::optional<Work> take();
  // The first link is everybody's: it works only as long as no other does.
  std::optional<Work> take_when_alone();
  void join();   // another link is going to work
  void leave();  // and does no more
  // The attempt as a whole has failed: nobody gets any more work.
  void fail(const Error& error);
  std::optional<Error> error() const;
  std::uint64_t bytes_left() const;
  // Everything was taken and every other link has left, or it has failed.
  bool finished() const;
  // Until something changes.
  void wait(const Deadline& deadline);

 private:
  struct State {
    std::deque<Work> works;
    int others = 0;
    std::optional<Error> error;
    std::uint64_t changes = 0;
  };
  static std::optional<Work> take_first(State& state);
  Monitor<State> state_;
};

}  // namespace yonder::sync
