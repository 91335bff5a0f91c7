#include "lab/session.h"

#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace yonder::lab {
namespace {

constexpr std::array kKept{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TERM", "LD_LIBRARY_PATH"};
// How tests are to run.
constexpr std::array kKeptBeginnings{"GTEST_", "YONDER_", "ASAN_", "UBSAN_", "LSAN_", "TSAN_"};
// The program's own settings.
constexpr std::array kSettings{
    "YONDER_ASKPASS_SOCKET", "YONDER_ASKPASS_TOKEN", "YONDER_CONFIG",
    "YONDER_GPU_LEASES",     "YONDER_KFD",           "YONDER_PASSWORD",
    "YONDER_RUN_ID",         "YONDER_TOOLSETS",      "YONDER_INLINE_SYNC_MAX_FILES"};
// An address of a socket has room for so much, and what the tests put below it.
constexpr std::size_t kLongestTemporaryDirectory = 40;

bool is_among(const auto& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_kept(std::string_view name) {
  if (is_among(kSettings, name)) return false;
  return is_among(kKept, name) ||
         std::any_of(kKeptBeginnings.begin(), kKeptBeginnings.end(),
                     [&](std::string_view beginning) { return name.starts_with(beginning); });
}

// Servers' settings and sockets cannot be in every place.
bool suits_servers(std::string_view directory) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-";
  return directory.size() <= kLongestTemporaryDirectory &&
         directory.find_first_not_of(kPlain) == std::string_view::npos;
}

std::vector<std::string> names() {
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    all.emplace_back(text.substr(0, text.find('=')));
  }
  return all;
}

}  // namespace

void forget_the_session() {
  for (const auto& name : names()) {
    if (!is_kept(name)) ::unsetenv(name.c_str());
  }
  ::setenv("LANG", "C.UTF-8", 1);
  const char* directory = ::getenv("TMPDIR");
  if (directory != nullptr && !suits_servers(directory)) ::unsetenv("TMPDIR");
}

}  // namespace yonder::lab
