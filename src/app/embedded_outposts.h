#pragma once

#include <vector>

#include "link/outpost_image.h"

namespace yonder::app {

// The far side programs that this executable carries inside itself. Made by the build.
std::vector<link::OutpostImage> embedded_outposts();

}  // namespace yonder::app
