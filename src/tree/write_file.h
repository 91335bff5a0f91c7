#pragma once

#include <functional>
#include <string>

#include "base/file_work.h"
#include "base/result.h"
#include "tree/trash.h"

namespace yonder::tree {

// A file gets new content whole or not at all: it is written beside, and then takes the name. What
// was there goes to the trash. Through a link the file that it leads to is replaced. Of several who
// write with the hash that they have read, exactly one succeeds; the others get a Conflict.
Result<files::Written> write_file(const files::WriteRequest& request, const std::string& home,
                                  const TrashPlace& trash);

// Replaces texts in a file, exactly; each must be there once, unless all are meant.
Result<files::EditReply> edit_file(const files::EditRequest& request, const std::string& home,
                                   const TrashPlace& trash);

}  // namespace yonder::tree
