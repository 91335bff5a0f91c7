#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "lab/accounts.h"
#include "lab/mounts.h"
#include "lab/need.h"
#include "lab/site.h"
#include "lab/ways.h"

namespace yonder::lab {

// The place where end-to-end tests run: this process and its children see test users, a home for
// the ssh client and a /run/sshd that nobody else sees, and nothing of it is left when the process
// ends, even by SIGKILL. Without root all users are the same one under several names, each with
// their own home, shell and password; see Way.
//
// A test program links yonder_lab_main, which enters the lab, and asks:
//
//   TEST(Login, WorksByKey) {
//     Lab& lab = Lab::get();  // ends the test here where there can be none
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
  // Call once, before any thread starts: the caller goes on in another process, guarded. Also
  // points HOME at client_home() and drops the settings of the developer's own session
  // (SSH_AUTH_SOCK, XDG_*, ...) from its environment.
  static void enter();
  static bool available();
  static const std::string& reason();  // why it is not available
  static bool refused();               // whether that is because the machine does not allow it
  // Where it is refused, the test is skipped; where it could not be made otherwise, the test fails.
  static Lab& get();
  bool has_several_users() const { return way_ != Way::OneUser; }

  const std::string& directory() const { return directory_; }
  // The home of root, who is the client in all tests: ssh reads its ~/.ssh/config. Where there is
  // one user only, "root" is a name of that one like the others.
  const std::string& client_home() const { return client_home_; }
  // For a program that a test starts as the client.
  std::vector<std::string> environment() const;

  // Throws when there is no such user: the test is wrong.
  const Account& user(const std::string& name) const { return users_.at(name); }
  Result<Account> add_user(const std::string& name, const std::string& shell);
  void change_password(const std::string& name, const std::string& password);
  // What a server sees of /etc, to be called in a mount namespace of its own. With one user only,
  // whose user id has several names, `id -un` says that of the newest user there, or alice.
  Result<void> look_like_a_server() const;

  // A new directory that every user can enter.
  Result<std::string> new_directory(const std::string& purpose);
  // A new directory for the layers of overlays: they cannot be kept on every file system.
  Result<std::string> new_layer_directory(const std::string& purpose);
  // Replaces a user's home by an empty tmpfs, with further options such as "noexec", "ro" or
  // "size=64k", until the mount dies.
  Result<Mount> mount_home(const std::string& name, const std::string& options);

 private:
  Lab(Way way, const Site& site);
  static Result<Lab*> create(Way way, const Site& site);
  Result<void> furnish();
  Result<void> add_users();
  Result<void> tell_servers() const;

  Way way_;
  std::string directory_;
  std::string client_home_;
  uid_t first_uid_;
  std::map<std::string, Account> users_;
  std::vector<std::string> names_;  // in the order in which servers see them
  int next_directory_ = 1;
};

}  // namespace yonder::lab
