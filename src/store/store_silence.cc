#include <SQLiteCpp/Statement.h>

#include "store/store_access.h"

namespace yonder::store {
namespace {

// Long enough for every reader; nothing has to be cleared away by anything else.
constexpr std::int64_t kSilenceKeptMs = 24LL * 3600 * 1000;

}  // namespace

Result<std::map<std::string, std::int64_t>> Store::silent_machines(std::int64_t now_ms,
                                                                   std::int64_t window_ms) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) {
      // A clock that was set back leaves notes of the future: they would count for ever.
      SQLite::Statement query(sql,
                              "SELECT target, noted_ms FROM silent_machines"
                              " WHERE noted_ms > ? AND noted_ms <= ?");
      query.bind(1, now_ms - window_ms);
      query.bind(2, now_ms);
      std::map<std::string, std::int64_t> silent;
      while (query.executeStep()) {
        silent.emplace(query.getColumn(0).getString(), query.getColumn(1).getInt64());
      }
      return silent;
    });
  });
}

Result<void> Store::note_silent(const std::string& target, std::int64_t now_ms) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      SQLite::Statement forget(sql,
                               "DELETE FROM silent_machines WHERE noted_ms <= ? OR noted_ms > ?");
      forget.bind(1, now_ms - kSilenceKeptMs);
      forget.bind(2, now_ms);
      forget.exec();
      SQLite::Statement insert(
          sql, "INSERT OR REPLACE INTO silent_machines (target, noted_ms) VALUES (?, ?)");
      insert.bind(1, target);
      insert.bind(2, now_ms);
      insert.exec();
      return {};
    });
  });
}

Result<void> Store::forget_silent(const std::string& target) {
  return with_database([&](Database& database) -> Result<void> {
    TRY_ASSIGN(const bool noted, database.read([&](SQLite::Database& sql) {
      SQLite::Statement query(sql, "SELECT 1 FROM silent_machines WHERE target = ?");
      query.bind(1, target);
      return query.executeStep();
    }));
    if (!noted) return {};
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      SQLite::Statement remove(sql, "DELETE FROM silent_machines WHERE target = ?");
      remove.bind(1, target);
      remove.exec();
      return {};
    });
  });
}

}  // namespace yonder::store
