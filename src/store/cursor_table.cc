#include "store/cursor_table.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/VariadicBind.h>

#include <limits>

#include "base/text.h"
#include "store/run_table.h"

namespace yonder::store {

std::uint64_t read_cursor(SQLite::Database& sql, const std::string& reader, const RunId& id) {
  SQLite::Statement query(sql, "SELECT offset FROM cursors WHERE run_id = ? AND reader = ?");
  SQLite::bind(query, id.str(), reader);
  return query.executeStep() ? static_cast<std::uint64_t>(query.getColumn(0).getInt64()) : 0;
}

Result<void> write_cursor(SQLite::Database& sql, const std::string& reader, const RunId& id,
                          std::uint64_t offset) {
  constexpr auto kLargest = std::numeric_limits<std::int64_t>::max();  // of a column, and of a file
  if (offset > static_cast<std::uint64_t>(kLargest)) {
    return Error{Errc::InvalidArgument, concat("no log has a byte ", offset), ""};
  }
  if (!find_run(sql, id)) return unknown_run(id);
  SQLite::Statement insert(sql,
                           "INSERT INTO cursors (run_id, reader, offset) VALUES (?, ?, ?)"
                           " ON CONFLICT (run_id, reader) DO UPDATE SET offset = excluded.offset");
  SQLite::bind(insert, id.str(), reader, static_cast<std::int64_t>(offset));
  insert.exec();
  return {};
}

}  // namespace yonder::store
