#pragma once

#include <SQLiteCpp/Database.h>

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"

namespace yonder::store {

// When each sandbox last answered, for store.cc. They throw what SQLite throws.

std::optional<std::int64_t> read_answer(SQLite::Database& sql, const std::string& sandbox);
Result<void> write_answer(SQLite::Database& sql, const std::string& sandbox, std::int64_t at_ms);

}  // namespace yonder::store
