#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sync/plan.h"
#include "sync/sync.h"

namespace yonder::sync {

// By the plan of the first attempt: what an attempt has brought there was not unchanged.
struct Unchanged {
  std::uint64_t entries = 0;
  std::uint64_t directories = 0;  // of these
};

// What a sync that was cut off has done, for whoever goes on with it.
struct SoFar {
  SyncReport report;  // its counts, trash batches and warnings
  // What the attempt that nobody saw the end of was to do, and was not seen to fail at.
  std::vector<Action> cut;
  std::optional<Unchanged> unchanged;  // nothing: there was no plan yet
};

std::string pack(const SoFar& so_far);
std::optional<SoFar> unpack_so_far(std::string_view bytes);

}  // namespace yonder::sync
