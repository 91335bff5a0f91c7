#include "store/answer_table.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/VariadicBind.h>

namespace yonder::store {

std::optional<std::int64_t> read_answer(SQLite::Database& sql, const std::string& sandbox) {
  SQLite::Statement query(sql, "SELECT answered_ms FROM sandboxes_seen WHERE sandbox = ?");
  query.bind(1, sandbox);
  if (!query.executeStep()) return std::nullopt;
  return query.getColumn(0).getInt64();
}

Result<void> write_answer(SQLite::Database& sql, const std::string& sandbox, std::int64_t at_ms) {
  SQLite::Statement insert(
      sql,
      "INSERT INTO sandboxes_seen (sandbox, answered_ms) VALUES (?, ?)"
      " ON CONFLICT (sandbox) DO UPDATE SET answered_ms = max(answered_ms, excluded.answered_ms)");
  SQLite::bind(insert, sandbox, at_ms);
  insert.exec();
  return {};
}

}  // namespace yonder::store
