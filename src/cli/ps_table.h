#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/table.h"
#include "ops/tasks.h"

namespace yonder::cli {

// Pure: what `yonder ps` shows. `now_ms` is the wall clock here.

// For people: the table, and below it what else to know.
std::string ps_screen(const ops::TaskList& list, std::size_t width, bool styled,
                      std::int64_t now_ms);

// For programs: id, sandbox, state, exit code, signal, created (UTC), seconds, session, last state,
// last seen (UTC), command. "-" is an empty field.
std::vector<Row> ps_fields(const ops::TaskList& list);

// Sandboxes that did not answer, older runs that are not shown, warnings: one line each.
std::vector<std::string> ps_notes(const ops::TaskList& list, std::int64_t now_ms);

// Of one run, for one cell of a table: "running", "exited 3", "queued (2 ahead)", "unknown (running
// 5 min ago)"; and its command with what it was said to be for.
std::string task_state(const ops::TaskInfo& task, std::int64_t now_ms);
std::string task_command(const ops::TaskInfo& task);

// For each id the shortest beginning that no other has, but never a very short one: it should stay
// unique when more runs come.
std::vector<std::string> short_ids(const std::vector<std::string>& ids);

}  // namespace yonder::cli
