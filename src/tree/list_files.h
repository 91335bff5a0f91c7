#pragma once

#include <string>

#include "base/file_work.h"
#include "base/result.h"

namespace yonder::tree {

// What is in a directory: each directory before what is in it, siblings in the order of the bytes
// of their names. Links below it are shown, not followed. However much there is, no more than what
// is asked for is remembered.
Result<files::ListReply> list_files(const files::ListRequest& request, const std::string& home);

}  // namespace yonder::tree
