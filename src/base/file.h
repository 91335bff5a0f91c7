#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "base/result.h"

namespace yonder {

// Files that Yonder keeps are 0600 and directories 0700 from the moment they exist.

// `max_bytes` bounds what is read: a larger file is an error, never a surprise for the memory.
Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes);
// What those of /proc and /sys, and of a few words, have at most.
inline constexpr std::uint64_t kSmallFile = 64UL * 1024;

Result<Fd> open_file(const std::string& path, int flags);
Result<void> make_directory(const std::string& path);
// Like `mkdir -p`; what exists is left as it is.
Result<void> make_directories(const std::string& path);
bool path_exists(const std::string& path);

enum class Durability {
  Process,  // survives the death of every process
  Power,    // survives the loss of power: fsync before the rename
};
// The file appears whole under its name, or not at all.
Result<void> write_file_atomically(const std::string& path, std::string_view content,
                                   Durability durability);

}  // namespace yonder
