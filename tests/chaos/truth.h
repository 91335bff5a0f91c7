#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/thread.h"
#include "chaos/flag.h"
#include "chaos/plan.h"
#include "chaos/proc.h"

namespace yonder::chaos {

// What the test knows of a run, without asking Yonder about its state.
struct Seen {
  std::string run_id;    // empty: no start was confirmed yet
  std::string log_file;  // likewise
  bool may_run = false;  // some start was not refused for certain
  std::optional<ProcessId> command;
  bool ready = false;
  std::optional<Instant> gone_at;      // the command did not exist any more
  std::optional<Instant> orphaned_at;  // its supervisor did not
  bool killed = false;                 // the planned victim is dead
  bool log_may_lack = false;           // the disk was full while it may have printed
  bool settled = false;                // nothing will be done to it any more
  std::optional<Instant> end_told_at;  // Yonder has said that it ended
};

// Looks at the processes themselves, all the time, in a thread of its own.
//
// Thread: any.
class Truth {
 public:
  explicit Truth(const std::vector<RunPlan>& plans);
  ~Truth();
  Truth(const Truth&) = delete;
  Truth& operator=(const Truth&) = delete;

  Seen of(const RunPlan& plan) const;
  template <class Change>
  void note(const RunPlan& plan, Change&& change) {
    seen_.change([&](auto& all) { change(all[static_cast<std::size_t>(plan.number)]); });
  }
  // False when another run id was told before: then it was started twice.
  bool note_start(const RunPlan& plan, const std::string& run_id, const std::string& log_file);
  // Runs whose start was confirmed.
  std::vector<int> started() const;
  // Waits for it until the deadline. Whether nothing is left to be done to any run.
  bool all_settled(const Deadline& deadline);

 private:
  void look(const RunPlan& plan);

  const std::vector<RunPlan>& plans_;
  Monitor<std::vector<Seen>> seen_;
  Flag stop_;
  Thread watcher_;
};

}  // namespace yonder::chaos
