#pragma once

#include <string>

namespace yonder::e2e {

// The real program: the one of this build, or what YONDER_E2E_PROGRAM names, such as an installed
// one.
std::string yonder_program();

}  // namespace yonder::e2e
