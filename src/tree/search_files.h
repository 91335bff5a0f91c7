#pragma once

#include <string>

#include "base/file_work.h"
#include "base/result.h"

namespace yonder::tree {

// Looks for an RE2 pattern in the lines of all text files below a directory, or in one file, within
// a time. What the ignore rules leave out is not looked at.
Result<files::SearchReply> search_files(const files::SearchRequest& request,
                                        const std::string& home);

}  // namespace yonder::tree
