#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/cancel.h"
#include "link/link.h"
#include "sync/far_tree.h"
#include "sync/plan.h"
#include "sync/tally.h"
#include "sync/works.h"
#include "tree/apply.h"

namespace yonder::sync {

// What carrying out a plan works with, in either direction.
struct CopySetup {
  const Plan& plan;
  const tree::Listing& source;
  const tree::Listing& target;
  int local_root = -1;
  tree::OpenTree far;  // for streams over further links
  // A single file may have another name in the source than in the target.
  std::string source_name;
  std::uint64_t origin = 0;  // see FileHead
  Tally& tally;
  CancelToken cancel;
  // Called by the caller's thread, some times a second and whenever it waits.
  std::function<void()> tick;
  // A further link of its own; an error where there can be none.
  std::function<Result<std::shared_ptr<link::Link>>(const CancelToken&)> open_link;
  int most_links = 1;
  bool near_link = false;  // so near that differences, or compressing, may cost more than they save
  tree::ApplyOptions apply;      // of a pull
  std::string local_root_path;   // likewise
  tree::TrashPlace local_trash;  // likewise
};

// How many links are worth their logins: far away each of them carries as much as its window holds
// per round trip; nearby the processors of this machine decide, of which each link keeps two busy.
int links_worth_it(bool near_link, unsigned processors);

// Both directions: LinkLost ends the attempt; what is wrong with single entries is tallied.
Result<void> push(const CopySetup& setup, FarTree& far);
Result<void> pull(const CopySetup& setup, FarTree& far);

// Numbers of orders: actions by their index, directories after them.
inline std::uint64_t number_of_directory(const Plan& plan, std::size_t index) {
  return plan.actions.size() + index;
}
const std::string& path_of(const Plan& plan, std::uint64_t number);

// What a file will be in the target; what it is in the source, and where.
tree::FileHead head_of(const CopySetup& setup, const Action& action);
tree::Seen source_of(const Action& action);
const std::string& source_path(const CopySetup& setup, const Action& action);
// The file of which this is another name has failed: it fails with it.
bool twin_failed(const CopySetup& setup, const Action& action, std::uint64_t number);

// Tallies a Failed message, and a Note of something that was to be removed and is not; anything
// else is unexpected.
Result<void> note_failure(const Plan& plan, Tally& tally, const tree::MessageView& message);

// It has failed, and nobody will go on with what has arrived of it: its source has changed, or
// there is no room for it.
bool is_given_up(const Tally& tally, std::uint64_t number, Tally::End source);

// What nobody can copy has failed; the others go on.
void fail_too_large(const CopySetup& setup, const WorkList& list);

// After an error on this stream: the far side leaves undone what it has not yet done. Waits for
// that.
void end_stream(const CopySetup& setup, FarTree& far, const Error& error);

// Does one work; with nullptr it settles all that it has done.
using Worker = std::function<Result<void>(const Work*)>;
// Prepares a worker for a stream, which calls `tick` while it works.
using BeginWorker = std::function<Worker(FarTree&, std::function<void()> tick)>;
// Works on the first link until there are others, and on others when it would take long.
Result<void> share_out(const CopySetup& setup, WorkQueue& queue, FarTree& first,
                       const BeginWorker& begin);

}  // namespace yonder::sync
