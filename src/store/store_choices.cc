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

}  // namespace

Result<void> Store::choose(std::int64_t now_ms, std::int64_t window_ms, const Decide& decide) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      forget_old(sql, now_ms, window_ms);
      const std::string chosen = decide(count_choices(sql));
      if (!chosen.empty()) insert_choice(sql, chosen, now_ms);
      return {};
    });
  });
}

}  // namespace yonder::store
