#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/sandbox_spec.h"

namespace yonder::config {

// Pure. The JSON array in REMOTE_SANDBOX_LIST. Messages give positions and field names only: the
// text is full of passwords.
Result<std::vector<SandboxSpec>> parse_sandbox_list(std::string_view text, const std::string& home);

}  // namespace yonder::config
