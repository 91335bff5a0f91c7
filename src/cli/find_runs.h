#pragma once

#include <string_view>
#include <vector>

#include "cli/options.h"
#include "ops/tasks.h"

namespace yonder::cli {

// Which runs are meant: each with its whole id or its session's name, and its sandbox; none twice.
// All are looked for before anything is done to one of them; of a session only its machine knows.
Result<std::vector<ops::TaskRef>> find_runs(ops::Engine& engine, ops::Session& session,
                                            const RunWords& words);

// Pure. Whether a word can be (the beginning of) an id. Without "r-" a few letters are rather a
// session's name, and the wrong run must not be hit.
bool may_be_id(std::string_view word);

}  // namespace yonder::cli
