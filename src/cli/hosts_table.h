#pragma once

#include <string>
#include <vector>

#include "base/resource_facts.h"
#include "cli/table.h"
#include "ops/sandboxes.h"

namespace yonder::cli {

// Pure: what `yonder hosts` shows of each sandbox.

struct HostsTable {
  Row header;
  std::vector<Row> rows;
};
// For people. `checked`: with what --check found.
HostsTable hosts_table(const ops::SandboxList& list, bool checked);

// What --resources found: NAME, IDLE, CPU, MEM, DISK, GPUS; for people and for programs.
HostsTable resources_table(const ops::SandboxList& list);

// Of one machine that answered: IDLE, CPU, MEM, DISK, GPUS; "?" is what was not measured.
Row resources_cells(const resources::MachineFacts& facts);

// For programs: name, backend, host, user, port, active, origin; with `checked` also the state,
// milliseconds and the error. "-" is an empty field.
std::vector<Row> hosts_fields(const ops::SandboxList& list, bool checked);

// What to do about those that only a person can log in to; for people, whose table may cut it, why
// others have failed too.
std::vector<std::string> hosts_notes(const ops::SandboxList& list, bool for_people = false);

}  // namespace yonder::cli
