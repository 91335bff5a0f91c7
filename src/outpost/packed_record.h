#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// A foreground run that has ended, and whose end has arrived on the near side, is kept as one file
// in the place of its directory. Whoever asks for it again gets the directory back.

// So much of either end of each output is kept in it.
inline constexpr std::uint64_t kPackedOfEachEnd = 128UL * 1024;

bool is_packed(const RunRecord& record);
Result<wire::PackedRecord> read_packed(const RunRecord& record);

enum class Packing {
  Done,
  Later,  // its supervisor still lives, or somebody reads it
  Never,  // it is nothing to be packed
};
// `may_cut`: the one who started the run has all of its output, so that the middle of a long one
// may go. Never of a run with a key: who uses the key again gets the same answer.
Packing pack_run(const RunRecord& record, bool may_cut);

// Packs all of them, and keeps what is packed within its limits.
void pack_runs(const std::string& state_dir, const std::vector<wire::TakenNote>& taken,
               const Deadline& deadline);

// Does nothing where there is a directory, or nothing at all.
Result<void> unpack_run(const RunRecord& record);

// What observe() would say of it, with its label.
Result<wire::RunFacts> facts_of_packed(const RunRecord& record, const std::string& boot_id);

// How many packed records are kept; those of keys are not counted.
struct PackedLimits {
  std::size_t files = 2000;
  std::uint64_t bytes = 64ULL * 1024 * 1024;
};
// Removes those that ended first, beyond the limits.
void bound_packed(const std::string& state_dir, const PackedLimits& limits);

}  // namespace yonder::outpost
