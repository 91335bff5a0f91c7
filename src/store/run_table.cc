#include "store/run_table.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/VariadicBind.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::store {
namespace {

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

RunNote read_note(const SQLite::Statement& row) {
  int column = 0;
  const auto text = [&] { return row.getColumn(column++).getString(); };
  const auto number = [&] { return row.getColumn(column++).getInt64(); };
  RunNote note;
  note.id = RunId(text());
  note.sandbox = text();
  note.kind = text();
  note.key = text();
  note.command = text();
  note.description = text();
  note.cwd = text();
  note.session = text();
  note.log_file = text();
  note.launcher = text();
  note.created_ms = number();
  note.state = text();
  note.seen_ms = number();
  if (!row.getColumn(column).isNull()) note.exit_code = row.getColumn(column).getInt();
  return note;
}

// Conditions that must all hold, and the texts for their question marks in order.
struct Search {
  std::vector<std::string> conditions{"TRUE"};
  std::vector<std::string> texts;

  void add(std::string condition) { conditions.push_back(std::move(condition)); }
  void add(std::string condition, std::string text) {
    add(std::move(condition));
    texts.push_back(std::move(text));
  }
};

std::vector<RunNote> find_all(SQLite::Database& sql, const Search& search, std::size_t limit) {
  SQLite::Statement query(
      sql,
      concat("SELECT id, sandbox, kind, key, command, description, cwd, session, log_file,"
             " launcher, created_ms, state, seen_ms, exit_code FROM runs WHERE ",
             join(search.conditions, " AND "), " ORDER BY created_ms DESC, number DESC LIMIT ?"));
  int place = 0;
  for (const auto& text : search.texts) query.bind(++place, text);
  constexpr std::size_t kMost = std::numeric_limits<std::int64_t>::max();
  query.bind(++place, static_cast<std::int64_t>(std::min(limit, kMost)));
  std::vector<RunNote> found;
  while (query.executeStep()) found.push_back(read_note(query));
  return found;
}

std::optional<Sighting> known_sighting(SQLite::Database& sql, const std::string& sandbox,
                                       const RunId& id) {
  SQLite::Statement query(sql, "SELECT state, seen_ms FROM runs WHERE id = ? AND sandbox = ?");
  SQLite::bind(query, id.str(), sandbox);
  if (!query.executeStep()) return std::nullopt;
  return Sighting{.state = query.getColumn(0).getString(),
                  .seen_ms = query.getColumn(1).getInt64()};
}

void bind_exit_code(SQLite::Statement& statement, int place, std::optional<int> exit_code) {
  if (exit_code) {
    statement.bind(place, *exit_code);
  } else {
    statement.bind(place);
  }
}

void write_sighting(SQLite::Database& sql, const RunId& id, const Sighting& sighting) {
  SQLite::Statement update(sql,
                           "UPDATE runs SET state = ?, seen_ms = ?, exit_code = ? WHERE id = ?");
  update.bind(1, sighting.state);
  update.bind(2, sighting.seen_ms);
  bind_exit_code(update, 3, sighting.exit_code);
  update.bind(4, id.str());
  update.exec();
}

}  // namespace

Result<void> remember_run(SQLite::Database& sql, const RunNote& note) {
  SQLite::Statement insert(
      sql,
      "INSERT INTO runs (id, sandbox, kind, key, command, description, cwd, session, log_file,"
      " launcher, created_ms, state, seen_ms, exit_code)"
      " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
      " ON CONFLICT (id) DO UPDATE SET kind = excluded.kind,"
      " key = excluded.key, command = excluded.command, description = excluded.description,"
      " cwd = excluded.cwd, session = excluded.session, log_file = excluded.log_file,"
      " launcher = excluded.launcher WHERE runs.sandbox = excluded.sandbox");
  SQLite::bind(insert, note.id.str(), note.sandbox, note.kind, note.key, note.command,
               note.description, note.cwd, note.session, note.log_file, note.launcher,
               note.created_ms, note.state, note.seen_ms);
  bind_exit_code(insert, 14, note.exit_code);
  if (insert.exec() == 0) {
    return Error{Errc::Conflict,
                 concat("run ", printable(note.id.str()), " is remembered of another sandbox"), ""};
  }
  return note_sighting(sql, note.sandbox, note.id, {note.state, note.exit_code, note.seen_ms});
}

void adopt_run(SQLite::Database& sql, const RunId& id, const std::string& sandbox) {
  SQLite::Statement update(sql, "UPDATE runs SET sandbox = ? WHERE id = ?");
  SQLite::bind(update, sandbox, id.str());
  update.exec();
}

Result<void> note_sighting(SQLite::Database& sql, const std::string& sandbox, const RunId& id,
                           const Sighting& sighting) {
  const auto known = known_sighting(sql, sandbox, id);
  if (!known) return unknown_run(id);
  if (replaces(sighting, *known)) write_sighting(sql, id, sighting);
  return {};
}

Result<void> forget_run(SQLite::Database& sql, const RunId& id) {
  SQLite::Statement remove(sql, "DELETE FROM runs WHERE id = ?");
  remove.bind(1, id.str());
  remove.exec();
  return {};
}

std::optional<RunNote> find_run(SQLite::Database& sql, const RunId& id) {
  Search search;
  search.add("id = ?", id.str());
  auto found = find_all(sql, search, 1);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<RunNote> runs_by_prefix(SQLite::Database& sql, const std::string& prefix,
                                    std::size_t limit) {
  // Two ranges, for which the index of the ids serves; "~" comes after every letter of an id.
  Search search;
  search.add("(id BETWEEN ? AND ? OR id BETWEEN ? AND ?)");
  search.texts = {prefix, prefix + "~", "r-" + prefix, concat("r-", prefix, "~")};
  return find_all(sql, search, limit);
}

std::vector<RunNote> runs_by_session(SQLite::Database& sql, const std::string& sandbox,
                                     const std::string& session) {
  Search search;
  search.add("session <> ''");
  search.add("session = ?", session);
  if (!sandbox.empty()) search.add("sandbox = ?", sandbox);
  return find_all(sql, search, kNoLimit);
}

std::vector<RunNote> runs_by_log(SQLite::Database& sql, const std::string& sandbox,
                                 const std::string& log_file) {
  Search search;
  search.add("log_file <> ''");
  search.add("log_file = ?", log_file);
  if (!sandbox.empty()) search.add("sandbox = ?", sandbox);
  return find_all(sql, search, kNoLimit);
}

std::vector<RunNote> runs_by_filter(SQLite::Database& sql, const Store::Filter& filter) {
  Search search;
  if (filter.sandbox) search.add("sandbox = ?", *filter.sandbox);
  if (filter.kind) search.add("kind = ?", *filter.kind);
  // In the very words of the index runs_unfinished, or SQLite would not use it.
  if (filter.unfinished_only) {
    search.add("state NOT IN ('exited', 'signaled', 'timed_out', 'stopped', 'lost', 'refused')");
  }
  return find_all(sql, search, filter.limit);
}

Error unknown_run(const RunId& id) {
  return {Errc::NotFound, concat("nothing is remembered of run ", printable(id.str())), ""};
}

}  // namespace yonder::store
