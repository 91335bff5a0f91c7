#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace yonder::tree {

// What a sync or a write that was killed has left: files on their way that never got their names.

// Of a file on its way; not of a part, which another sync goes on with, nor of what was put aside,
// which is somebody's file.
bool is_temporary_name(std::string_view name);

// Whoever fills such a file holds a lock on it, and gives it up only to rename it at once. Without
// the lock it is left over when it was not touched for so long.
inline constexpr std::int64_t kAbandoned = 60LL * 1000;

// For whoever has just made the file. Where it lies on another machine there is no lock: each would
// be a round trip.
void lock_temporary(int file, bool on_another_machine);

// Removes such a file when its writer is gone, and it is so old; where locks tell nothing, as on
// file systems of other machines, when it is as old as a forgotten part. True: it is not there any
// more.
bool remove_abandoned(int directory, const std::string& name, std::int64_t older_than_ms);

// The same for what a scan has found below the root, and for parts that nobody came back to.
bool remove_leftover(int root, const std::string& path);
// All of them that lie in this directory itself.
void remove_leftovers_in(int directory);

}  // namespace yonder::tree
