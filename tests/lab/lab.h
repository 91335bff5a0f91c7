#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/accounts.h"
#include "lab/keeper.h"
#include "lab/mounts.h"

namespace yonder::lab {

// The place where end-to-end tests run: this process and its children see test users, a home for
// the ssh client and a /run/sshd that nobody else sees, and nothing of it is left when the process
// ends, even by SIGKILL. Needs root (CAP_SYS_ADMIN).
//
// A test program links yonder_lab_main, which enters the lab, and asks:
//
//   TEST(Login, WorksByKey) {
//     YONDER_NEED_LAB();
//     Lab& lab = Lab::get();
//     auto sshd = Sshd::start(lab);
//     ...
//
// Users, with the password "<name>-pw": alice (bash), bob (dash), zoe (zsh), finn (fish), tess
// (tcsh), nobash (busybox sh), noisy (bash whose start-up files print without a final newline).
//
// Thread: a lab is used by the test's main thread only. There is one per process because the
// namespace it stands for is the process's own.
class Lab {
 public:
  // Call once, before any thread starts. Also points HOME at client_home() and drops the settings
  // of the developer's own session (SSH_AUTH_SOCK, XDG_*, ...) from this process's environment.
  static void enter();
  static bool available();
  static const std::string& reason();  // why it is not available
  static Lab& get();                   // only when available

  const std::string& directory() const { return directory_; }
  // The home of root, who is the client in all tests: ssh reads its ~/.ssh/config.
  const std::string& client_home() const { return client_home_; }
  // For a program that a test starts as the client.
  std::vector<std::string> environment() const;

  // Throws when there is no such user: the test is wrong.
  const Account& user(const std::string& name) const { return users_.at(name); }
  Result<Account> add_user(const std::string& name, const std::string& shell);

  // A new directory that every user can enter.
  Result<std::string> new_directory(const std::string& purpose);
  // A new directory for the layers of overlays: they cannot be kept on every file system.
  Result<std::string> new_layer_directory(const std::string& purpose);
  // Replaces a user's home by an empty tmpfs, with further options such as "noexec", "ro" or
  // "size=64k", until the mount dies. Servers with hidden programs must be started later to see it.
  Result<Mount> mount_home(const std::string& name, const std::string& options);

 private:
  Lab(std::string directory, UidRange uids, Keeper keeper);
  static Result<Lab*> create();
  Result<void> furnish();
  Result<void> add_users();

  std::string directory_;
  std::string client_home_;
  UidRange uids_;
  Keeper keeper_;
  std::map<std::string, Account> users_;
  int next_directory_ = 1;
};

}  // namespace yonder::lab

// The first line of a test that uses the lab.
#define YONDER_NEED_LAB() \
  if (!::yonder::lab::Lab::available()) GTEST_SKIP() << ::yonder::lab::Lab::reason()
