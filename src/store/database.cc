#include "store/database.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "base/clock.h"
#include "base/fd.h"
#include "base/id.h"
#include "base/text.h"
#include "store/schema.h"
#include "store/sql_error.h"

namespace yonder::store {
namespace {

// SQLite would create the file for everybody to read; its companions (-wal, -shm) get the mode of
// the file. It is made under another name because to close a descriptor of a file drops every lock
// that the process has on it: another connection of ours must not be able to have one yet.
Result<void> create_private(const std::string& path) {
  if (path_exists(path)) return {};
  const std::string temporary = concat(path, ".", random_letters(8), ".tmp");
  Fd created(::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!created) return cannot_create(path, errno);
  created.reset();
  const bool linked = ::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST;
  const int link_error = errno;
  ::unlink(temporary.c_str());
  if (!linked) return cannot_create(path, link_error);
  return {};
}

// Before anything is done to it: it may be the file of somebody else.
Result<void> look_at(SQLite::Database& sql, const std::string& path) {
  const SQLite::Transaction reading(sql);
  return check_version(sql, path);
}

// With a write-ahead log nobody who reads waits for a writer. The mode is a property of the file,
// so only its first user changes it. That is the one thing for which SQLite does not wait by itself
// when somebody else looks at the file.
void use_write_ahead_log(SQLite::Database& sql, Duration patience) {
  if (sql.execAndGet("PRAGMA journal_mode").getString() == "wal") return;
  const auto deadline = Deadline::after(patience);
  while (true) {
    const int outcome = sql.tryExec("PRAGMA journal_mode = WAL");
    if ((outcome & 0xff) != SQLITE_BUSY || deadline.expired()) return sql.check(outcome);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

}  // namespace

Database::Database(const std::string& path, Duration patience)
    : path_(path),
      sql_(path, SQLite::OPEN_READWRITE | SQLite::OPEN_NOMUTEX),
      turn_(path, patience) {
  sqlite3_busy_handler(sql_.getHandle(), WriterTurn::on_busy, &turn_);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Duration patience) {
  TRY(create_private(path));
  std::unique_ptr<Database> database;
  try {
    database.reset(new Database(path, patience));
  } catch (const SQLite::Exception& thrown) {
    return sql_error(path, thrown, 0);
  }
  try {
    TRY(look_at(database->sql_, path));
    database->sql_.exec("PRAGMA foreign_keys = ON");
    use_write_ahead_log(database->sql_, patience);
    TRY(migrate(database->sql_, path));
    return database;
  } catch (const SQLite::Exception& thrown) {
    return database->explain(thrown);
  }
}

bool Database::has_moved() const {
  int moved = 0;
  const int asked = sqlite3_file_control(sql_.getHandle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  return asked == SQLITE_OK && moved != 0;
}

// FULL: the commit returns after the log is on the disk, because "remembered" must also hold after
// a loss of power; that is one fsync for a note. NORMAL: a loss of power may take the last commits,
// but never damages the file; the next commit with FULL brings them to the disk as well.
void Database::set_durability(Durability durability) {
  sql_.exec(durability == Durability::Power ? "PRAGMA synchronous = FULL"
                                            : "PRAGMA synchronous = NORMAL");
}

Error Database::explain(const SQLite::Exception& thrown) const {
  return sql_error(path_, thrown, sqlite3_system_errno(sql_.getHandle()));
}

}  // namespace yonder::store
