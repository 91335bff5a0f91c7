#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "ops/engine.h"

namespace yonder::ops {

// `yonder push NAME PATH` has one path too few, and NAME was taken for a path. The error to show;
// nothing when `path` is one.
std::optional<Error> taken_for_a_path(Engine& engine, const std::string& sandbox,
                                      const std::string& path);

// `yonder push PATH NAME` lacks the colon behind NAME, and would copy to the active sandbox.
std::optional<Error> taken_for_a_target(Engine& engine, const std::string& sandbox,
                                        const std::string& path);

}  // namespace yonder::ops
