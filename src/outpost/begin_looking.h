#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "outpost/activity.h"
#include "outpost/machine.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Reading, listing and removing runs, trees of files, and what the machine has. Nothing when it is
// another request.
std::optional<Result<std::unique_ptr<Activity>>> begin_looking(const Surroundings& around,
                                                               wire::StreamId stream,
                                                               const wire::AnyRequest& request);

}  // namespace yonder::outpost
