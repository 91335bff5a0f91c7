#pragma once

#include <memory>

#include "store/database.h"
#include "store/store.h"

namespace yonder::store {

// How store*.cc get at the file.

// Somebody may move the file away, as the advice for a damaged one says, while this process lives.
// What is written into a file that nobody finds again would be acknowledged and lost.
inline Result<void> ensure_open(std::unique_ptr<Database>& database, const std::string& path) {
  if (database && !database->has_moved()) return {};
  database.reset();
  TRY_ASSIGN(database, Database::open(path));
  return {};
}

template <class Use>
auto Store::with_database(Use&& use) {
  return database_.with([&](std::unique_ptr<Database>& database) -> decltype(use(*database)) {
    TRY(ensure_open(database, path_));
    return use(*database);
  });
}

}  // namespace yonder::store
