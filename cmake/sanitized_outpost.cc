// How the sanitized outpost reports what it finds. Nothing reads the standard error of a
// supervisor, so reports are files in a directory that .ci/run makes and looks into.
extern "C" {

const char* __asan_default_options() {
  return "log_path=/tmp/yonder-sanitizer-reports/outpost:abort_on_error=0:detect_leaks=0";
}

const char* __ubsan_default_options() {
  return "log_path=/tmp/yonder-sanitizer-reports/outpost:print_stacktrace=1";
}
}
