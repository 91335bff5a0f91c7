#pragma once

#include <sys/types.h>

#include "base/result.h"

namespace yonder::lab {

// How a lab comes to mounts and users of its own.
enum class Way {
  Root,             // root, who may mount
  RootInNamespace,  // root without that right: in a user namespace with the same users
  OneUser,          // anyone: in a user namespace whose only user is the caller, called kOnlyUid
  None,             // nothing of it is allowed here
};

// Not 0, so that servers know that they cannot become other users, and nothing that the machine
// has.
inline constexpr uid_t kOnlyUid = 7001;

// Root, and not the only user that there is, as in some containers.
bool may_be_other_users();

// The first way that works, found by trying each in a process of its own. YONDER_LAB_WAY names one
// instead: root, root-in-namespace, one-user or none. None only where a right is refused; that it
// could not be found out is an error, and so is a named way that does not work.
Result<Way> choose_way();

// Makes this process a member of the user namespace that the way needs, if any. No other thread may
// run.
Result<void> enter_user_namespace(Way way);
// From now on no mount of this process is seen outside, and none made outside is seen here. In
// namespaces of its children they are seen, if these ask for it.
Result<void> enter_private_mounts();

}  // namespace yonder::lab
