#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "cli/table.h"
#include "cli/top_state.h"

namespace yonder::cli {

// Pure: one look without a screen of its own.

// For people: a table of each.
std::string top_tables(const TopKnown& known, std::size_t width, bool styled, const TopTime& now);

// For programs: one row for each thing; its first field is "machine", "gpu", "run" or "transfer".
std::vector<Row> top_fields(const TopKnown& known, const TopTime& now);

// {"time", "machines", "runs", "transfers"}: the same objects as the other commands print.
Json top_json(const TopKnown& known, const TopTime& now);

}  // namespace yonder::cli
