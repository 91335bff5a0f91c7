#include "link/askpass_hop.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <string>

#include "base/file.h"
#include "base/text.h"

namespace yonder::link {
namespace {

constexpr int kMaxGenerations = 32;

// 0 when unknown. The name in the second field may contain anything, so what counts starts after
// the last parenthesis: " S 1234 …".
pid_t parent_of(pid_t pid) {
  const auto stat = read_file(concat("/proc/", pid, "/stat"), 4096);
  if (!stat) return 0;
  const std::size_t name_end = stat->rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= stat->size()) return 0;
  pid_t parent = 0;
  std::from_chars(stat->data() + name_end + 4, stat->data() + stat->size(), parent);
  return parent;
}

// The program's file; empty when unknown.
std::string program_of(pid_t pid) {
  std::array<char, 4096> path{};
  const ssize_t size = ::readlink(concat("/proc/", pid, "/exe").c_str(), path.data(), path.size());
  return size <= 0 ? std::string() : std::string(path.data(), static_cast<std::size_t>(size));
}

}  // namespace

bool asked_by_another_hop(pid_t helper) {
  if (helper <= 0) return false;
  const pid_t asker = parent_of(helper);
  const pid_t self = ::getpid();
  const std::string program = program_of(asker);
  if (asker <= 1 || asker == self || program.empty()) return false;
  // A script around ssh may stand between us and it; another ssh may not.
  pid_t ancestor = parent_of(asker);
  for (int i = 0; i < kMaxGenerations && ancestor > 1 && ancestor != self; ++i) {
    if (program_of(ancestor) == program) return true;
    ancestor = parent_of(ancestor);
  }
  return false;
}

}  // namespace yonder::link
