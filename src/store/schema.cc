#include "store/schema.h"

#include <SQLiteCpp/Transaction.h>

#include <array>
#include <cstddef>

#include "base/text.h"
#include "store/sql_error.h"

namespace yonder::store {
namespace {

// Step n leads from version n to n+1. What was released is never changed: files that went through
// it exist. (docs/formats.md describes the result.)
constexpr std::array kSteps{
    R"sql(
      CREATE TABLE runs (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        sandbox TEXT NOT NULL,
        kind TEXT NOT NULL,
        key TEXT NOT NULL,
        command TEXT NOT NULL,
        cwd TEXT NOT NULL,
        session TEXT NOT NULL,
        log_file TEXT NOT NULL,
        launcher TEXT NOT NULL,
        created_ms INTEGER NOT NULL,
        state TEXT NOT NULL,
        exit_code INTEGER,
        seen_ms INTEGER NOT NULL
      ) STRICT;
      CREATE INDEX runs_by_age ON runs (created_ms);
    )sql",
    R"sql(
      ALTER TABLE runs ADD COLUMN description TEXT NOT NULL DEFAULT '';
      CREATE INDEX runs_by_session ON runs (session) WHERE session <> '';
      CREATE INDEX runs_by_log ON runs (log_file) WHERE log_file <> '';
      CREATE INDEX runs_unfinished ON runs (created_ms)
        WHERE state NOT IN ('exited', 'signaled', 'timed_out', 'stopped', 'lost');
      CREATE TABLE cursors (
        run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
        reader TEXT NOT NULL,
        offset INTEGER NOT NULL,
        PRIMARY KEY (run_id, reader)
      ) STRICT, WITHOUT ROWID;
      CREATE TABLE sandboxes_seen (
        sandbox TEXT NOT NULL PRIMARY KEY,
        answered_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    )sql",
    R"sql(
      CREATE TABLE transfers (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        direction TEXT NOT NULL,
        sandbox TEXT NOT NULL,
        local_path BLOB NOT NULL,
        remote_path BLOB NOT NULL,
        options TEXT NOT NULL,
        status TEXT NOT NULL,
        worker_pid INTEGER NOT NULL DEFAULT 0,
        worker_start TEXT NOT NULL DEFAULT '',
        worker_boot TEXT NOT NULL DEFAULT '',
        created_ms INTEGER NOT NULL,
        started_ms INTEGER NOT NULL DEFAULT 0,
        updated_ms INTEGER NOT NULL,
        finished_ms INTEGER NOT NULL DEFAULT 0,
        progress TEXT NOT NULL DEFAULT '',
        result TEXT NOT NULL DEFAULT '',
        error TEXT NOT NULL DEFAULT '',
        cancel_requested INTEGER NOT NULL DEFAULT 0
      ) STRICT;
    )sql",
    R"sql(
      DROP INDEX runs_unfinished;
      CREATE INDEX runs_unfinished ON runs (created_ms)
        WHERE state NOT IN ('exited', 'signaled', 'timed_out', 'stopped', 'lost', 'refused');
      CREATE TABLE choices (
        number INTEGER PRIMARY KEY,
        sandbox TEXT NOT NULL,
        chosen_ms INTEGER NOT NULL
      ) STRICT;
      CREATE TABLE keyed_places (
        key TEXT PRIMARY KEY,
        sandbox TEXT NOT NULL,
        chosen_ms INTEGER NOT NULL
      ) STRICT;
      ALTER TABLE transfers ADD COLUMN worker_host TEXT NOT NULL DEFAULT '';
      ALTER TABLE transfers ADD COLUMN worker_pids TEXT NOT NULL DEFAULT '';
    )sql",
    R"sql(
      CREATE TABLE state_places (
        sandbox TEXT NOT NULL,
        machine TEXT NOT NULL,
        user_id TEXT NOT NULL,
        place TEXT NOT NULL,
        path TEXT NOT NULL,
        boot_id TEXT NOT NULL,
        PRIMARY KEY (sandbox, machine, user_id)
      ) STRICT, WITHOUT ROWID;
    )sql",
    R"sql(
      CREATE TABLE silent_machines (
        target TEXT NOT NULL PRIMARY KEY,
        noted_ms INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID;
    )sql",
};
constexpr int kPresent = static_cast<int>(kSteps.size());

int version_of(SQLite::Database& sql) {
  return sql.execAndGet("PRAGMA user_version").getInt();
}

bool holds_tables(SQLite::Database& sql) {
  return sql.execAndGet("SELECT count(*) FROM sqlite_schema").getInt() > 0;
}

}  // namespace

Result<void> check_version(SQLite::Database& sql, const std::string& path) {
  const int version = version_of(sql);
  if (version > kPresent) {
    return Error{Errc::Config,
                 concat(path, " was written by a newer yonder: it has version ", version,
                        ", and this one knows versions up to ", kPresent),
                 "upgrade yonder on this machine; the file was left as it is"};
  }
  if (version < 0 || (version == 0 && holds_tables(sql))) {
    return useless_file(path, "is a database of another program");
  }
  return {};
}

Result<void> migrate(SQLite::Database& sql, const std::string& path) {
  // Most openings end here, without any lock that others would wait for.
  if (version_of(sql) == kPresent) return {};
  SQLite::Transaction transaction(sql, SQLite::TransactionBehavior::IMMEDIATE);
  // Under the lock: another process may have been faster, and it may have been a newer one.
  TRY(check_version(sql, path));
  for (int step = version_of(sql); step < kPresent; ++step) {
    sql.exec(kSteps.at(static_cast<std::size_t>(step)));
  }
  sql.exec(concat("PRAGMA user_version = ", kPresent));
  transaction.commit();
  return {};
}

}  // namespace yonder::store
