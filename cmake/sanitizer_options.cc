// How the sanitized program and its outpost report what they find. Nothing reads the standard error
// of a supervisor or of a process that has outlived its test, so reports are files in a directory
// that scripts/sanitize makes and looks into. Where there is none, as for a program that is started
// by hand, they are on standard error.
#include <unistd.h>

namespace {

constexpr const char* kDirectory = "/tmp/yonder-sanitizer-reports";

const char* in_files(const char* with_files, const char* without) {
  return access(kDirectory, W_OK) == 0 ? with_files : without;
}

}  // namespace

extern "C" {

const char* __asan_default_options() {
#ifdef YONDER_SANITIZED_OUTPOST
  return in_files("log_path=/tmp/yonder-sanitizer-reports/outpost:abort_on_error=0:detect_leaks=0",
                  "abort_on_error=0:detect_leaks=0");
#else
  return in_files("log_path=/tmp/yonder-sanitizer-reports/yonder", "");
#endif
}

const char* __ubsan_default_options() {
  return in_files("log_path=/tmp/yonder-sanitizer-reports/undefined:print_stacktrace=1",
                  "print_stacktrace=1");
}
}
