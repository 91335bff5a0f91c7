#include "store/store.h"

#include <utility>

#include "store/answer_table.h"
#include "store/cursor_table.h"
#include "store/run_table.h"
#include "store/store_access.h"

namespace yonder::store {
namespace {

Result<void> write_look(SQLite::Database& sql, const Store::Look& look) {
  for (const auto& run : look.adopted) adopt_run(sql, run.id, run.sandbox);
  for (const auto* runs : {&look.adopted, &look.runs}) {
    for (const auto& run : *runs) {
      auto noted = remember_run(sql, run);
      if (!noted && noted.error().code != Errc::Conflict) return noted;
    }
  }
  for (const auto& seen : look.seen) {
    auto noted =
        note_sighting(sql, seen.sandbox, seen.id, {seen.state, seen.exit_code, look.at_ms});
    if (!noted && noted.error().code != Errc::NotFound) return noted;
  }
  for (const auto& sandbox : look.answered) TRY(write_answer(sql, sandbox, look.at_ms));
  return {};
}

}  // namespace

Store::Store(std::string path) : path_(std::move(path)) {}

Store::~Store() = default;

Result<void> Store::remember(const RunNote& note) {
  return with_database([&](Database& database) {
    return database.write(Durability::Power,
                          [&](SQLite::Database& sql) { return remember_run(sql, note); });
  });
}

Result<void> Store::saw(const std::string& sandbox, const RunId& id, const std::string& state,
                        std::optional<int> exit_code, std::int64_t seen_ms) {
  const Sighting sighting{state, exit_code, seen_ms};
  return with_database([&](Database& database) {
    return database.write(Durability::Power, [&](SQLite::Database& sql) {
      return note_sighting(sql, sandbox, id, sighting);
    });
  });
}

Result<void> Store::note(const Look& look) {
  const bool of_runs = !look.runs.empty() || !look.adopted.empty() || !look.seen.empty();
  if (!of_runs && look.answered.empty()) return {};
  return with_database([&](Database& database) {
    return database.write(of_runs ? Durability::Power : Durability::Process,
                          [&](SQLite::Database& sql) { return write_look(sql, look); });
  });
}

Result<std::optional<RunNote>> Store::find(const RunId& id) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return find_run(sql, id); });
  });
}

Result<std::vector<RunNote>> Store::find_by_prefix(const std::string& prefix, std::size_t limit) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return runs_by_prefix(sql, prefix, limit); });
  });
}

Result<std::vector<RunNote>> Store::find_by_session(const std::string& sandbox,
                                                    const std::string& session) {
  return with_database([&](Database& database) {
    return database.read(
        [&](SQLite::Database& sql) { return runs_by_session(sql, sandbox, session); });
  });
}

Result<std::vector<RunNote>> Store::find_by_log(const std::string& sandbox,
                                                const std::string& log_file) {
  return with_database([&](Database& database) {
    return database.read(
        [&](SQLite::Database& sql) { return runs_by_log(sql, sandbox, log_file); });
  });
}

Result<std::vector<RunNote>> Store::runs(const Filter& filter) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return runs_by_filter(sql, filter); });
  });
}

Result<void> Store::forget(const RunId& id) {
  return with_database([&](Database& database) {
    return database.write(Durability::Power,
                          [&](SQLite::Database& sql) { return forget_run(sql, id); });
  });
}

Result<std::uint64_t> Store::cursor(const std::string& reader, const RunId& id) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return read_cursor(sql, reader, id); });
  });
}

Result<void> Store::move_cursor(const std::string& reader, const RunId& id, std::uint64_t offset) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) {
      return write_cursor(sql, reader, id, offset);
    });
  });
}

Result<void> Store::sandbox_answered(const std::string& sandbox, std::int64_t at_ms) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process,
                          [&](SQLite::Database& sql) { return write_answer(sql, sandbox, at_ms); });
  });
}

Result<std::optional<std::int64_t>> Store::last_answer(const std::string& sandbox) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return read_answer(sql, sandbox); });
  });
}

}  // namespace yonder::store
