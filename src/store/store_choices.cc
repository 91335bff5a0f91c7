#include <SQLiteCpp/Statement.h>

#include "store/store_access.h"

namespace yonder::store {
namespace {

// A clock that was set back leaves choices of the future: they would count for ever.
void forget_old(SQLite::Database& sql, std::int64_t now_ms, std::int64_t window_ms) {
  SQLite::Statement remove(sql, "DELETE FROM choices WHERE chosen_ms <= ? OR chosen_ms > ?");
  remove.bind(1, now_ms - window_ms);
  remove.bind(2, now_ms + window_ms);
  remove.exec();
}

std::map<std::string, int> count_choices(SQLite::Database& sql) {
  SQLite::Statement query(sql, "SELECT sandbox, count(*) FROM choices GROUP BY sandbox");
  std::map<std::string, int> counts;
  while (query.executeStep()) {
    counts.emplace(query.getColumn(0).getString(), query.getColumn(1).getInt());
  }
  return counts;
}

void insert_choice(SQLite::Database& sql, const std::string& sandbox, std::int64_t now_ms) {
  SQLite::Statement insert(sql, "INSERT INTO choices (sandbox, chosen_ms) VALUES (?, ?)");
  insert.bind(1, sandbox);
  insert.bind(2, now_ms);
  insert.exec();
}

constexpr std::int64_t kKeysKeptMs = 30LL * 24 * 3600 * 1000;

void note_place(SQLite::Database& sql, const Store::Choice& choice, const std::string& sandbox) {
  SQLite::Statement forget(sql, "DELETE FROM keyed_places WHERE chosen_ms <= ?");
  forget.bind(1, choice.now_ms - kKeysKeptMs);
  forget.exec();
  SQLite::Statement insert(
      sql, "INSERT OR REPLACE INTO keyed_places (key, sandbox, chosen_ms) VALUES (?, ?, ?)");
  insert.bind(1, choice.key);
  insert.bind(2, sandbox);
  insert.bind(3, choice.now_ms);
  insert.exec();
}

}  // namespace

Result<void> Store::choose(const Choice& choice, const Decide& decide) {
  // A key that is forgotten would begin a second run elsewhere.
  const Durability durability = choice.key.empty() ? Durability::Process : Durability::Power;
  return with_database([&](Database& database) {
    return database.write(durability, [&](SQLite::Database& sql) -> Result<void> {
      forget_old(sql, choice.now_ms, choice.window_ms);
      const std::string chosen = decide(count_choices(sql));
      if (chosen.empty()) return {};
      insert_choice(sql, chosen, choice.now_ms);
      if (!choice.key.empty()) note_place(sql, choice, chosen);
      return {};
    });
  });
}

Result<std::optional<std::string>> Store::place_of_key(const std::string& key) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) -> std::optional<std::string> {
      SQLite::Statement query(sql, "SELECT sandbox FROM keyed_places WHERE key = ?");
      query.bind(1, key);
      if (!query.executeStep()) return std::nullopt;
      return query.getColumn(0).getString();
    });
  });
}

Result<void> Store::forget_place(const std::string& key) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      SQLite::Statement remove(sql, "DELETE FROM keyed_places WHERE key = ?");
      remove.bind(1, key);
      remove.exec();
      return {};
    });
  });
}

}  // namespace yonder::store
