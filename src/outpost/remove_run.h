#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "outpost/machine.h"
#include "outpost/packed_record.h"

namespace yonder::outpost {

// What is in a directory; nothing when it cannot be read.
std::vector<std::string> names_in(const std::string& directory);

// Removes the files of a run and its directory. Only plain files are ever in there.
void remove_run(const std::string& directory);

// The runs that a key leads to.
std::set<std::string> runs_of_keys(const std::string& state_dir);

// Removes the keys and session names that lead to this run. The caller holds lock_keys().
void remove_links(const std::string& state_dir, const std::string& run_id);

// How much of the past is kept.
struct Retention {
  // All ended runs together; the oldest go first, but none that ended within the last day. Logs
  // that lie elsewhere are not ours and do not count.
  std::uint64_t max_bytes = 2ULL * 1024 * 1024 * 1024;
  PackedLimits packed;
};

// Removes what nobody needs any more: records of runs that ended longer ago than they wanted to be
// kept or that take too much room (never a live one, nor one of which a process lives), names of
// runs that are gone, what killed spares have left, and programs of other versions that were not
// used for a month. Does nothing when it was done within the last hour.
void collect_leftovers(const std::string& state_dir, const std::string& program_path,
                       Retention retention = {});
// The same for the records that are outside of the usual place.
void collect_overflow(const Surroundings& around);

}  // namespace yonder::outpost
