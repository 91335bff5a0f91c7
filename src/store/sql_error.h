#pragma once

#include <SQLiteCpp/Exception.h>

#include <string>

#include "base/error.h"

namespace yonder::store {

// What SQLite says, in words that help. `system_errno` is what the system said to SQLite, or 0.
Error sql_error(const std::string& path, const SQLite::Exception& thrown, int system_errno);

// For a file that is no database of ours, or not any more.
Error useless_file(const std::string& path, const std::string& why);

// For a file that could not be created, by errno.
Error cannot_create(const std::string& path, int error_number);

}  // namespace yonder::store
