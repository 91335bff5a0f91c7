#pragma once

#include <sys/statvfs.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Whether a disk has room for what a command prints. The command writes into its files itself, so
// the kernel tells nobody else when a write fails; this is what can be seen from outside: that the
// disk had no room at some moment of the run. What was filled and freed between two looks stays
// unseen.

// Less is as good as none: some file systems refuse a write while a few blocks are left.
inline constexpr std::uint64_t kLeastRoom = 16384;

// A record fits, but little of what a command prints: another place is better, if it has more.
inline constexpr std::uint64_t kLittleRoom = 1024UL * 1024;

// Pure. A file system that tells no size has no limit.
bool is_full(const struct statvfs& disk, bool for_root, std::uint64_t least = kLeastRoom);

// By what the kernel tells, which costs nothing and does not know quotas. False where it tells
// nothing.
bool looks_full(const std::string& path, std::uint64_t least = kLeastRoom);

// By asking for room, in a file of ours that keeps its size. Nothing: it cannot be asked for.
std::optional<bool> refuses_room(const Fd& file);

// At the end of a run, when its files are complete.
bool output_disk_is_full(const RunRecord& record, const wire::StartRequest& spec);

// The file system keeps nothing when the machine restarts.
bool is_in_memory(const std::string& path);

}  // namespace yonder::outpost
