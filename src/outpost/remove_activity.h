#pragma once

#include <string>

#include "outpost/activity.h"
#include "outpost/machine.h"

namespace yonder::outpost {

// Pure. Why a run must not be forgotten; empty when nothing of it can be alive.
std::string reason_to_keep(const wire::RunFacts& facts);

// Forgets a run that is over: its record, and the key and the name that lead to it. The reply is
// what was seen of it before. A supervisor that is about to go is waited for.
class RemoveActivity : public Activity {
 public:
  RemoveActivity(const Surroundings& around, RunRecord record, wire::StreamId stream);
  bool step(Outbox& outbox) override;
  Deadline due() const override;
  std::vector<Watched> watched() const override { return {{record_.directory()}}; }

 private:
  Result<void> remove() const;

  std::string state_dir_;
  std::string boot_id_;
  RunRecord record_;
  wire::StreamId stream_;
  Deadline patience_;
};

}  // namespace yonder::outpost
