#pragma once

#include <cstdint>

#include "sync/plan.h"

namespace yonder::sync {

enum class Compared : std::uint8_t { Same, OnlyAttributes, Differs, Unclear };

// Pure. What both ends have under one name; neither is a directory.
Compared compare(const PlanInput& input, const PlanOptions& options, const tree::Entry& source,
                 const tree::Entry& target);

// Nobody knows who changed what: then the newer one is not given up for the older.
bool is_newer_there(const PlanInput& input, const tree::Entry& source, const tree::Entry& target);

}  // namespace yonder::sync
