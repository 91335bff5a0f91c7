#include "outpost/self.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/file.h"

namespace yonder::outpost {
namespace {

constexpr std::uint64_t kProgramLimit = 64UL * 1024 * 1024;

}  // namespace

std::string hash_of(std::string_view bytes) {
  XXH128_canonical_t canonical{};
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(bytes.data(), bytes.size()));
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : canonical.digest) {
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

std::string own_path() {
  std::array<char, 4096> target{};
  const ssize_t n = ::readlink("/proc/self/exe", target.data(), target.size());
  return n <= 0 ? "" : std::string(target.data(), static_cast<std::size_t>(n));
}

std::size_t room_for_title() {
  static const std::size_t room = [] {
    const auto arguments = read_file("/proc/self/cmdline", 1024UL * 1024);
    return arguments ? arguments->size() : 0;
  }();
  return room;
}

void show_as(const std::string& title) {
  const std::size_t room = room_for_title();
  if (room == 0) return;
  // The arguments stand one behind the other, from the first one's place on.
  char* arguments = program_invocation_name;
  std::memset(arguments, 0, room);
  std::copy_n(title.data(), std::min(title.size(), room - 1), arguments);
}

bool is_whole(const std::string& expected_hash) {
  const auto bytes = read_file("/proc/self/exe", kProgramLimit);
  return bytes && hash_of(*bytes) == expected_hash;
}

}  // namespace yonder::outpost
