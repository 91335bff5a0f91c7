#include "e2e/program.h"

#include <cstdlib>

namespace yonder::e2e {

std::string yonder_program() {
  const char* other = std::getenv("YONDER_E2E_PROGRAM");
  return other == nullptr ? YONDER_PROGRAM : other;
}

bool program_is_sanitized() {
  return std::getenv("YONDER_E2E_SANITIZED") != nullptr;
}

}  // namespace yonder::e2e
