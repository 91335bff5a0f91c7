#pragma once

#include <string>

namespace yonder::tree {

// Renames that the C library may not know. Both return 0, or the errno.

// Never onto something: EEXIST then. Where the kernel cannot promise that, it is looked up just
// before.
int rename_new(int from_dir, const std::string& from, int to_dir, const std::string& to);

// Both names change places at once. EINVAL, ENOSYS or ENOTSUP where that cannot be done.
int rename_exchange(int one_dir, const std::string& one, int other_dir, const std::string& other);

}  // namespace yonder::tree
