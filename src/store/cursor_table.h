#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <string>

#include "base/id.h"
#include "base/result.h"

namespace yonder::store {

// How far each reader has read each log, for store.cc. They throw what SQLite throws.

std::uint64_t read_cursor(SQLite::Database& sql, const std::string& reader, const RunId& id);
Result<void> write_cursor(SQLite::Database& sql, const std::string& reader, const RunId& id,
                          std::uint64_t offset);

}  // namespace yonder::store
