#pragma once

#include <string>

namespace yonder::e2e {

// The real program: the one of this build, or what YONDER_E2E_PROGRAM names, such as an installed
// one.
std::string yonder_program();
// Whether that program and its outpost are built with a sanitizer; scripts/sanitize says so.
bool program_is_sanitized();

}  // namespace yonder::e2e
