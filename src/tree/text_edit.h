#pragma once

#include <string>
#include <vector>

#include "base/file_work.h"
#include "base/result.h"

namespace yonder::tree {

// Pure. Makes the edits one after the other; each sees what the ones before it have made. Errors
// say which edit, and where its text is found or why it may not be.
struct EditedText {
  std::string text;
  std::uint64_t replacements = 0;
};
Result<EditedText> apply_edits(const std::string& text, const std::vector<files::Edit>& edits);

}  // namespace yonder::tree
