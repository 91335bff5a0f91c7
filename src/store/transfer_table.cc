#include "store/transfer_table.h"

#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/VariadicBind.h>

#include "base/text.h"

namespace yonder::store {
namespace {

constexpr const char* kColumns =
    "id, direction, sandbox, local_path, remote_path, options, status, worker_pid, worker_start,"
    " worker_boot, worker_host, worker_pids, created_ms, started_ms, updated_ms, finished_ms, "
    "progress, result, error,"
    " cancel_requested";

// Paths are bytes, whatever they hold.
std::string bytes_of(const SQLite::Column& column) {
  const void* data = column.getBlob();
  const int size = column.getBytes();
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

void bind_bytes(SQLite::Statement& statement, int place, const std::string& bytes) {
  statement.bind(place, static_cast<const void*>(bytes.data()), static_cast<int>(bytes.size()));
}

TransferNote read_note(const SQLite::Statement& row) {
  int column = 0;
  const auto text = [&] { return row.getColumn(column++).getString(); };
  const auto bytes = [&] { return bytes_of(row.getColumn(column++)); };
  const auto number = [&] { return row.getColumn(column++).getInt64(); };
  TransferNote note;
  note.id = number();
  note.direction = text();
  note.sandbox = text();
  note.local_path = bytes();
  note.remote_path = bytes();
  note.options = text();
  note.status = text();
  note.worker.pid = number();
  note.worker.start_time = text();
  note.worker.boot_id = text();
  note.worker.host = text();
  note.worker.pid_namespace = text();
  note.created_ms = number();
  note.started_ms = number();
  note.updated_ms = number();
  note.finished_ms = number();
  note.progress = text();
  note.result = text();
  note.error = text();
  note.cancel_requested = number() != 0;
  return note;
}

std::vector<TransferNote> read_all(SQLite::Statement& query) {
  std::vector<TransferNote> notes;
  while (query.executeStep()) notes.push_back(read_note(query));
  return notes;
}

}  // namespace

std::int64_t insert_transfer(SQLite::Database& sql, const TransferNote& note) {
  SQLite::Statement insert(
      sql,
      "INSERT INTO transfers (direction, sandbox, options, status, created_ms, updated_ms,"
      " local_path, remote_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  SQLite::bind(insert, note.direction, note.sandbox, note.options, note.status, note.created_ms,
               note.created_ms);
  bind_bytes(insert, 7, note.local_path);
  bind_bytes(insert, 8, note.remote_path);
  insert.exec();
  return sql.getLastInsertRowid();
}

std::optional<TransferNote> read_transfer(SQLite::Database& sql, std::int64_t id) {
  SQLite::Statement query(sql, concat("SELECT ", kColumns, " FROM transfers WHERE id = ?"));
  query.bind(1, id);
  auto found = read_all(query);
  if (found.empty()) return std::nullopt;
  return std::move(found.front());
}

std::vector<TransferNote> read_transfers(SQLite::Database& sql, std::size_t limit) {
  SQLite::Statement query(sql,
                          concat("SELECT ", kColumns, " FROM transfers ORDER BY id DESC LIMIT ?"));
  query.bind(1, static_cast<std::int64_t>(limit));
  return read_all(query);
}

bool write_worker(SQLite::Database& sql, std::int64_t id, const WorkerKey& worker) {
  SQLite::Statement update(sql,
                           "UPDATE transfers SET worker_pid = ?, worker_start = ?, worker_boot = ?,"
                           " worker_host = ?, worker_pids = ? WHERE id = ? AND status = 'queued'");
  SQLite::bind(update, worker.pid, worker.start_time, worker.boot_id, worker.host,
               worker.pid_namespace, id);
  return update.exec() > 0;
}

bool claim(SQLite::Database& sql, std::int64_t id, const WorkerKey& worker, std::int64_t at_ms) {
  SQLite::Statement update(
      sql,
      "UPDATE transfers SET status = 'running', worker_pid = ?, worker_start = ?, worker_boot = ?,"
      " worker_host = ?, worker_pids = ?, started_ms = ?, updated_ms = ?"
      " WHERE id = ? AND status = 'queued' AND cancel_requested = 0");
  SQLite::bind(update, worker.pid, worker.start_time, worker.boot_id, worker.host,
               worker.pid_namespace, at_ms, at_ms, id);
  return update.exec() > 0;
}

bool write_progress(SQLite::Database& sql, std::int64_t id, const std::string& progress,
                    std::int64_t at_ms) {
  SQLite::Statement update(sql,
                           "UPDATE transfers SET progress = ?, updated_ms = ?"
                           " WHERE id = ? AND status = 'running'");
  SQLite::bind(update, progress, at_ms, id);
  return update.exec() > 0;
}

bool write_end(SQLite::Database& sql, std::int64_t id, const TransferEnd& end) {
  SQLite::Statement update(sql,
                           "UPDATE transfers SET status = ?, result = ?, error = ?,"
                           " finished_ms = ?, updated_ms = ?"
                           " WHERE id = ? AND status IN ('queued', 'running')");
  SQLite::bind(update, end.status, end.result, end.error, end.at_ms, end.at_ms, id);
  return update.exec() > 0;
}

bool write_cancel_request(SQLite::Database& sql, std::int64_t id) {
  SQLite::Statement update(sql,
                           "UPDATE transfers SET cancel_requested = 1"
                           " WHERE id = ? AND status IN ('queued', 'running')");
  update.bind(1, id);
  return update.exec() > 0;
}

std::vector<std::int64_t> old_transfers(SQLite::Database& sql, std::int64_t before_ms,
                                        std::size_t keep) {
  SQLite::Statement query(
      sql,
      "SELECT id FROM transfers WHERE created_ms < ?"
      " UNION SELECT id FROM (SELECT id FROM transfers ORDER BY id DESC LIMIT -1 OFFSET ?)");
  SQLite::bind(query, before_ms, static_cast<std::int64_t>(keep));
  std::vector<std::int64_t> ids;
  while (query.executeStep()) ids.push_back(query.getColumn(0).getInt64());
  return ids;
}

void delete_transfer(SQLite::Database& sql, std::int64_t id) {
  SQLite::Statement remove(sql, "DELETE FROM transfers WHERE id = ?");
  remove.bind(1, id);
  remove.exec();
}

}  // namespace yonder::store
