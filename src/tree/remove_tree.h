#pragma once

#include <string>

#include "base/result.h"

namespace yonder::tree {

// Removes the entry `name` of the directory, and everything below it. Symlinks are removed, not
// followed, and no mount is entered: one that is met is a Conflict, and stays with what is behind
// it. However deep the tree is, few descriptors are open.
Result<void> remove_tree(int dir_fd, const std::string& name);

}  // namespace yonder::tree
