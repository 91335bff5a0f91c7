#pragma once

#include <string>

#include "base/file_work.h"
#include "base/result.h"

namespace yonder::tree {

// Files up to this size are hashed when they are read.
inline constexpr std::uint64_t kHashedUpTo = 8ULL * 1024 * 1024;
// What one answer can hold.
inline constexpr std::uint64_t kMaxPart = 4ULL * 1024 * 1024;

// Bytes, lines or the end of a regular file. Memory is bounded by `max_bytes`, whatever the file
// is.
Result<files::ReadReply> read_part(const files::ReadRequest& request, const std::string& home);

}  // namespace yonder::tree
