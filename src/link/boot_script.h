#pragma once

#include <string>
#include <vector>

#include "link/outpost_image.h"

namespace yonder::link {

// The text that a POSIX shell over there reads from its standard input. It starts the outpost that
// is there already, or asks for its bytes and puts it into the first directory that works. What it
// says is described in wire/handshake.h. Everything stands inside braces, so that the shell has
// read it all before it runs the first line, and nothing of what follows is swallowed.
std::string boot_script(const std::string& nonce, const std::vector<OutpostImage>& images);

}  // namespace yonder::link
