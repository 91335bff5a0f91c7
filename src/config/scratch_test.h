#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace yonder::config {

// A directory of its own for one test, gone afterwards.
class Scratch {
 public:
  Scratch() : path_(::testing::TempDir() + "yonder-config-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "mkdtemp " << path_;
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const { return path_; }

  // Private to the user, as such files should be.
  void write(const std::string& name, const std::string& content) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary | std::ios::trunc) << content;
    ::chmod(file.c_str(), 0600);
  }

  // Makes a file look as if it had been written long ago.
  void age(const std::string& name) const {
    const std::array<timespec, 2> times{timespec{1'000'000'000, 0}, timespec{1'000'000'000, 0}};
    ::utimensat(AT_FDCWD, (path_ + "/" + name).c_str(), times.data(), 0);
  }

 private:
  std::string path_;
};

}  // namespace yonder::config
