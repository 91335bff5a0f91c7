#pragma once

#include <memory>
#include <optional>

#include "base/result.h"
#include "outpost/activity.h"
#include "outpost/machine.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Everything about single files, each in a process of its own. Nothing when it is another request.
std::optional<Result<std::unique_ptr<Activity>>> begin_files(const Surroundings& around,
                                                             wire::StreamId stream,
                                                             const wire::AnyRequest& request);

}  // namespace yonder::outpost
