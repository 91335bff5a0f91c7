#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>

#include "base/patience_test.h"
#include "lab/need.h"
#include "lab/ways.h"

namespace yonder::testing {

// A directory of its own for one test, gone afterwards.
class Scratch {
 public:
  Scratch() : path_(::testing::TempDir() + "yonder-test-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << path_;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

  std::string write(const std::string& name, const std::string& content, mode_t mode = 0600) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    ::chmod(file.c_str(), mode);
    return file.string();
  }
  std::string read(const std::string& name) const {
    std::ifstream file(std::filesystem::path(path_) / name, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
  }

 private:
  std::string path_;
};

inline mode_t mode_of(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? info.st_mode & 07777U : 0;
}

// Makes a file look as if it had last been changed so long ago.
inline void make_older(const std::string& path, std::chrono::seconds age) {
  const std::array<timespec, 2> times{timespec{std::time(nullptr) - age.count(), 0},
                                      timespec{std::time(nullptr) - age.count(), 0}};
  ::utimensat(AT_FDCWD, path.c_str(), times.data(), AT_SYMLINK_NOFOLLOW);
}

// Looks until it is so; false when it did not become so in any reasonable time.
inline bool eventually(const std::function<bool()>& is_so) {
  const Deadline give_up = patience();
  while (!is_so()) {
    if (give_up.expired()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return true;
}

// Runs `body` in a process of its own whose mounts no other sees. Without root it has the user id
// lab::kOnlyUid there, and there is no other user. Returns what went wrong, as `body` does;
// the test is skipped where no namespaces may be made.
inline std::string with_private_mounts(const std::function<std::string()>& body) {
  constexpr int kNotAllowed = 77;
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) return "pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const auto way = lab::choose_way();
    if (way && *way == lab::Way::None) ::_exit(kNotAllowed);
    const bool entered = way && lab::enter_user_namespace(*way) && lab::enter_private_mounts();
    const std::string problem = entered ? body() : "private mounts could not be made";
    [[maybe_unused]] const auto written = ::write(pipe[1], problem.data(), problem.size());
    ::_exit(problem.empty() ? 0 : 1);
  }
  ::close(pipe[1]);
  std::string problem;
  std::array<char, 4096> buffer{};
  for (ssize_t n = 0; (n = ::read(pipe[0], buffer.data(), buffer.size())) > 0;) {
    problem.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kNotAllowed) {
    lab::skip_for(lab::Need::Namespaces);
  }
  if (status != 0 && problem.empty()) problem = "the process ended badly";
  return problem;
}

inline bool mount_tmpfs(const std::string& path, const char* options, unsigned long flags = 0) {
  return ::mount("tmpfs", path.c_str(), "tmpfs", flags, options) == 0;
}

}  // namespace yonder::testing
