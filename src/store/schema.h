#pragma once

#include <SQLiteCpp/Database.h>

#include <string>

#include "base/result.h"

namespace yonder::store {

// Both throw what SQLite throws.

// A database of a newer Yonder, or of another program, is an error. Changes nothing.
// Belongs into a transaction: the version and the tables must be those of one moment.
Result<void> check_version(SQLite::Database& sql, const std::string& path);

// Brings the database to the present version of the schema: all steps or none. Fails as
// check_version does, and the file stays as it is.
Result<void> migrate(SQLite::Database& sql, const std::string& path);

}  // namespace yonder::store
