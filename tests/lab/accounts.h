#pragma once

#include <sys/types.h>

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
// Writes the account into /etc, which must be the lab's overlay by now, and makes its home.
Result<void> add_account(const Account& account);

// OpenSSH takes ~ from the password file and not from $HOME, so root's home must move for the
// client to read the lab's ~/.ssh instead of the developer's.
Result<void> move_root_home(const std::string& home);

}  // namespace yonder::lab
