#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace yonder::lab {

// A mount inside the lab's private namespace, gone with its owner.
class Mount {
 public:
  explicit Mount(std::string path) : path_(std::move(path)) {}
  Mount(Mount&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  Mount& operator=(Mount&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
  }
  Mount(const Mount&) = delete;
  Mount& operator=(const Mount&) = delete;
  ~Mount();

  // It stays until the namespace ends.
  void keep() && { path_.clear(); }

 private:
  std::string path_;
};

// `options`: "noexec", "ro" and what tmpfs itself knows, such as "size=64k,uid=7001,mode=700". Not
// done by mount(8), which leaves traces in /run.
Result<Mount> mount_tmpfs(const std::string& path, const std::string& options);

// For the calling thread and what it starts from now on: mounts made there stay there.
Result<void> enter_mounts_of_a_server();

Result<void> bind_over(const std::string& from, const std::string& to);

// Lays a writable layer, kept in `scratch`, over a directory. It stays until the namespace ends.
Result<void> overlay(const std::string& path, const std::string& scratch);

// sshd insists on the directory /run/sshd, which only exists where its service has run. The real
// /run stays as it is: where the directory is missing, a private copy of /run gets it.
Result<void> provide_run_sshd();
// The private copy in any case, without what running users have there.
Result<void> replace_run();

// Empty places of the lab's own where all users of a machine put things under their user id, which
// is the same in all labs of one user. What the lab itself and this program live in stays visible.
Result<void> hide_shared_places(const std::string& lab_directory);

// Hides programs by name or pattern ("python3*") wherever the usual PATH finds them, in the mounts
// of the calling thread. `scratch` must be on a file system that can hold the upper layer of an
// overlay.
Result<void> hide_programs(const std::vector<std::string>& patterns, const std::string& scratch);

}  // namespace yonder::lab
