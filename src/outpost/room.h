#pragma once

#include <sys/statvfs.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/fd.h"
#include "outpost/run_record.h"
#include "wire/messages.h"

namespace yonder::outpost {

// Whether a disk has room for what a command prints. The writer of its output knows what the files
// did not take; a file system of another machine may lose later what it has taken. This is what can
// be seen from outside: that the disk had no room at some moment of the run.

// Less is as good as none: some file systems refuse a write while a few blocks are left.
inline constexpr std::uint64_t kLeastRoom = 16384;

// Pure. A file system that tells no size has no limit.
bool is_full(const struct statvfs& disk, bool for_root);

// By what the kernel tells, which costs nothing and does not know quotas. False where it tells
// nothing.
bool looks_full(const std::string& path);

// By asking for room, in a file of ours that keeps its size. Nothing: it cannot be asked for.
std::optional<bool> refuses_room(const Fd& file);

// At the end of a run, when its files are complete.
bool output_disk_is_full(const RunRecord& record, const wire::StartRequest& spec);

// The file system keeps nothing when the machine restarts.
bool is_in_memory(const std::string& path);

}  // namespace yonder::outpost
