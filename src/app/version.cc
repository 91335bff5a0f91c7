#include "app/version.h"

#include "commit.h"  // made by the build; see cmake/YonderVersion.cmake

namespace yonder::app {
namespace {

#if defined(__x86_64__)
constexpr const char* kMachine = "x86-64";
#elif defined(__aarch64__)
constexpr const char* kMachine = "aarch64";
#else
constexpr const char* kMachine = "another machine";
#endif

}  // namespace

cli::Build this_build() {
  return {.version = YONDER_VERSION,
          .commit = YONDER_COMMIT,
          .type = YONDER_BUILD,
          .machine = kMachine};
}

}  // namespace yonder::app
