#pragma once

#include "cli/version_text.h"

namespace yonder::app {

// Which program this is.
cli::Build this_build();

}  // namespace yonder::app
