#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "outpost/activity.h"
#include "outpost/machine.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// The run of this id, or an error for whoever asked.
Result<RunRecord> find_run(const Surroundings& around, const std::string& run_id);
// The newest run that tmux shows under this name: tmux changes some names, and people see, and ask
// for, what it made of them.
std::optional<RunRecord> find_by_tmux_name(const Surroundings& around, const std::string& name);

// Whether its outputs go into one log, even if somebody has removed that.
bool writes_log(const RunRecord& record);

// When it was begun, without decoding anything: `alive` is written once. Nanoseconds since the
// epoch; of a run that never began: when its directory last changed.
std::int64_t stamp_of(const RunRecord& record);
// Newest first, at most so many.
std::vector<RunRecord> newest_runs(const std::string& state_dir, std::size_t limit);

// What is seen of a run, with its label; bounded, whatever its record holds.
wire::RunFacts labelled_facts(const RunRecord& record, const std::string& boot_id,
                              ObserveOptions options = {});

// Looks at the newest runs, some at a time: other streams need not wait for a full directory.
class ListActivity : public Activity {
 public:
  ListActivity(const Surroundings& around, wire::StreamId stream, wire::ListRequest request);
  bool step(Outbox& outbox) override;
  Deadline due() const override { return Deadline::after(Duration::zero()); }
  std::vector<Watched> watched() const override { return {}; }

 private:
  struct Candidate {
    RunRecord record;
    std::int64_t stamp = 0;
  };
  struct Found {
    std::int64_t created_ms = 0;
    wire::RunFacts facts;
  };
  void order(const Deadline& slice);
  void look(const Deadline& slice);
  void look_at(const RunRecord& record);
  void look_at_packed(const RunRecord& record);
  void add(const RunRecord& record, wire::RunFacts facts);
  bool full() const;

  std::string boot_id_;
  wire::StreamId stream_;
  wire::ListRequest request_;
  std::vector<Candidate> candidates_;
  std::size_t stamped_ = 0;
  std::size_t looked_at_ = 0;
  std::size_t bytes_ = 0;  // of the reply, roughly
  std::vector<Found> found_;
  wire::ListReply reply_;
};

}  // namespace yonder::outpost
