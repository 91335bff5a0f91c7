#pragma once

#include <string>

#include "base/result.h"
#include "lab/accounts.h"

namespace yonder::lab {

// Where all labs live, TMPDIR or /tmp; a lab's directory is named after the process that owns it.
std::string lab_parent();

// What a lab has outside of its own namespaces.
struct Site {
  std::string directory;
  UidRange uids;  // without a lock where the lab's only user is the caller
};
Result<Site> make_site(bool several_users);
void remove_site(const Site& site);

// Removes sites of dead owners that even their keepers did not survive, after a day.
void remove_stale_sites();

}  // namespace yonder::lab
