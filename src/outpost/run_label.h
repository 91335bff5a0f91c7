#pragma once

#include <optional>

#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// What a run was called and meant for. Nothing when its spec cannot be read.
std::optional<wire::RunLabel> read_label(const RunRecord& record);
// As far as the spec alone tells.
wire::RunLabel label_of(const wire::StartRequest& spec);

}  // namespace yonder::outpost
