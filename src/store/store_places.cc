#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/VariadicBind.h>

#include "store/store_access.h"

namespace yonder::store {

Result<std::optional<Store::StatePlace>> Store::state_place(const std::string& sandbox,
                                                            const std::string& machine,
                                                            const std::string& user_id) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) -> std::optional<StatePlace> {
      SQLite::Statement query(sql,
                              "SELECT place, path, boot_id FROM state_places"
                              " WHERE sandbox = ? AND machine = ? AND user_id = ?");
      SQLite::bind(query, sandbox, machine, user_id);
      if (!query.executeStep()) return std::nullopt;
      return StatePlace{.sandbox = sandbox,
                        .machine = machine,
                        .user_id = user_id,
                        .place = query.getColumn(0).getString(),
                        .path = query.getColumn(1).getString(),
                        .boot_id = query.getColumn(2).getString()};
    });
  });
}

Result<void> Store::note_state_place(const StatePlace& place) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      SQLite::Statement insert(sql,
                               "INSERT OR REPLACE INTO state_places"
                               " (sandbox, machine, user_id, place, path, boot_id)"
                               " VALUES (?, ?, ?, ?, ?, ?)");
      SQLite::bind(insert, place.sandbox, place.machine, place.user_id, place.place, place.path,
                   place.boot_id);
      insert.exec();
      return {};
    });
  });
}

Result<void> Store::forget_state_places(const std::string& sandbox) {
  return with_database([&](Database& database) {
    return database.write(Durability::Power, [&](SQLite::Database& sql) -> Result<void> {
      SQLite::Statement remove(sql, "DELETE FROM state_places WHERE sandbox = ?");
      remove.bind(1, sandbox);
      remove.exec();
      return {};
    });
  });
}

}  // namespace yonder::store
