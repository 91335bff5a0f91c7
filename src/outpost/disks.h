#pragma once

#include <sys/statvfs.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/resource_facts.h"
#include "outpost/limited_child.h"
#include "outpost/machine.h"

namespace yonder::outpost {

// How full the file systems are where commands start and where runs are recorded. A file system
// that does not answer within `limit` has no values, and holds up nothing else.
std::vector<resources::Disk> look_at_disks(const Surroundings& around, const std::string& cwd,
                                           Duration limit);

// The parts of it, for tests.

// Pure. From what the kernel says.
void set_space(resources::Disk& disk, const struct statvfs& space);
// Pure. All values are missing for this reason.
void set_missing(resources::Disk& disk, const std::string& why);
// `path`, or the nearest directory above it that exists.
std::string existing_part(std::string path);
// What a child says that has looked at `path`, and how it is understood.
std::string describe_space(const std::string& path);
void take_space(resources::Disk& disk, const Said& said, Duration limit);

}  // namespace yonder::outpost
