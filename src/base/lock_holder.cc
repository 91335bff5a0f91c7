#include "base/lock_holder.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "base/user_name.h"

namespace yonder {
namespace {

constexpr std::uint64_t kMostLocks = 4UL * 1024 * 1024;
constexpr std::uint64_t kMostName = 64;
constexpr const char* kUnseen = "a process that cannot be seen from here";

// As the kernel prints it.
std::string file_name(dev_t device, ino_t inode) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%02x:%02x:%llu", major(device), minor(device),
                static_cast<unsigned long long>(inode));
  return text.data();
}

}  // namespace

pid_t flock_holder(std::string_view locks, dev_t device, ino_t inode) {
  const std::string wanted = file_name(device, inode);
  for (const auto& line : split(locks, '\n')) {
    // "1: FLOCK  ADVISORY  WRITE 17 08:01:123 0 EOF"; those who wait have an arrow before it.
    std::vector<std::string> words;
    for (auto& word : split(line, ' ')) {
      if (!word.empty()) words.push_back(std::move(word));
    }
    if (words.size() < 6 || words[1] != "FLOCK" || words[5] != wanted) continue;
    const auto pid = static_cast<pid_t>(std::strtol(words[4].c_str(), nullptr, 10));
    if (pid > 0) return pid;
  }
  return 0;
}

std::string describe_flock_holder(const Fd& file) {
  struct stat info {};
  const auto locks = read_file("/proc/locks", kMostLocks);
  if (!locks || ::fstat(file.get(), &info) != 0) return kUnseen;
  const pid_t pid = flock_holder(*locks, info.st_dev, info.st_ino);
  struct stat process {};
  if (pid <= 0 || ::stat(concat("/proc/", pid).c_str(), &process) != 0) return kUnseen;
  const auto name = read_file(concat("/proc/", pid, "/comm"), kMostName);
  return concat("process ", pid, " (", name ? printable(trim(*name)) : "?", ") of ",
                user_name(process.st_uid));
}

}  // namespace yonder
