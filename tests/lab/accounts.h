#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::lab {

// User ids for one lab, held by a lock that dies with its holders. Labs that run at the same time
// never share a user, so they do not meet in /tmp/<something>-<uid> either.
struct UidRange {
  static constexpr uid_t kSize = 100;
  uid_t first = 0;
  Fd lock;
};
Result<UidRange> claim_uids();

struct Account {
  std::string name;
  uid_t uid = 0;
  std::string home;
  std::string shell;
  std::string password;
};
inline constexpr std::uint64_t kEtcFileLimit = 4 << 20;

// With its end.
std::string passwd_line(const Account& account);
// Writes the account into /etc, which must be the lab's overlay by now, and makes its home.
Result<void> add_account(const Account& account);
Result<void> set_password(const std::string& name, const std::string& password);

// Where root's files cannot be written: the same files anew, without what only root may read. Also
// without the group of terminals, which an sshd that is not root could not give them to.
Result<void> own_account_files();

// OpenSSH takes ~ from the password file and not from $HOME, so root's home must move for the
// client to read the lab's ~/.ssh instead of the developer's. `uid` is who root shall be.
Result<void> move_root(const std::string& home, uid_t uid);

}  // namespace yonder::lab
