#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "base/result.h"
#include "store/run_note.h"
#include "store/sighting.h"
#include "store/store.h"

namespace yonder::store {

// The table of runs, for store.cc, which says what they mean. All throw what SQLite throws; those
// that change something belong into Database::write.

Result<void> remember_run(SQLite::Database& sql, const RunNote& note);
// From now on it is known as one of this sandbox.
void adopt_run(SQLite::Database& sql, const RunId& id, const std::string& sandbox);
Result<void> note_sighting(SQLite::Database& sql, const std::string& sandbox, const RunId& id,
                           const Sighting& sighting);
Result<void> forget_run(SQLite::Database& sql, const RunId& id);

std::optional<RunNote> find_run(SQLite::Database& sql, const RunId& id);
std::vector<RunNote> runs_by_prefix(SQLite::Database& sql, const std::string& prefix,
                                    std::size_t limit);
std::vector<RunNote> runs_by_session(SQLite::Database& sql, const std::string& sandbox,
                                     const std::string& session);
std::vector<RunNote> runs_by_log(SQLite::Database& sql, const std::string& sandbox,
                                 const std::string& log_file);
std::vector<RunNote> runs_by_filter(SQLite::Database& sql, const Store::Filter& filter);

// NotFound; for everything that is about a run that must be remembered.
Error unknown_run(const RunId& id);

}  // namespace yonder::store
