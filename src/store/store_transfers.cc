#include <utility>

#include "store/store_access.h"
#include "store/transfer_table.h"

namespace yonder::store {

Result<std::int64_t> Store::add_transfer(const TransferNote& note) {
  std::int64_t id = 0;
  TRY(with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      id = insert_transfer(sql, note);
      return {};
    });
  }));
  return id;
}

Result<std::optional<TransferNote>> Store::find_transfer(std::int64_t id) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return read_transfer(sql, id); });
  });
}

Result<std::vector<TransferNote>> Store::transfers(std::size_t limit) {
  return with_database([&](Database& database) {
    return database.read([&](SQLite::Database& sql) { return read_transfers(sql, limit); });
  });
}

template <class Change>
Result<bool> Store::change_transfer(Durability durability, Change&& change, Duration patience) {
  bool changed = false;
  TRY(with_database(
      [&](Database& database) {
        return database.write(durability, [&](SQLite::Database& sql) -> Result<void> {
          changed = change(sql);
          return {};
        });
      },
      patience));
  return changed;
}

Result<bool> Store::transfer_has_worker(std::int64_t id, const WorkerKey& worker) {
  return change_transfer(Durability::Process,
                         [&](SQLite::Database& sql) { return write_worker(sql, id, worker); });
}

Result<bool> Store::claim_transfer(std::int64_t id, const WorkerKey& worker, std::int64_t at_ms) {
  return change_transfer(
      Durability::Process, [&](SQLite::Database& sql) { return claim(sql, id, worker, at_ms); },
      kLongPatience);
}

Result<bool> Store::transfer_goes_on(std::int64_t id, const std::string& progress,
                                     std::int64_t at_ms) {
  return change_transfer(Durability::Process, [&](SQLite::Database& sql) {
    const bool written = write_progress(sql, id, progress, at_ms);
    const auto now = read_transfer(sql, id);
    return written && now && !now->cancel_requested;
  });
}

Result<bool> Store::end_transfer(std::int64_t id, const TransferEnd& end) {
  return change_transfer(
      Durability::Power, [&](SQLite::Database& sql) { return write_end(sql, id, end); },
      kLongPatience);
}

Result<bool> Store::request_cancel(std::int64_t id) {
  return change_transfer(Durability::Process,
                         [&](SQLite::Database& sql) { return write_cancel_request(sql, id); });
}

Result<std::vector<std::int64_t>> Store::old_transfers(std::int64_t before_ms, std::size_t keep) {
  return with_database([&](Database& database) {
    return database.read(
        [&](SQLite::Database& sql) { return store::old_transfers(sql, before_ms, keep); });
  });
}

Result<void> Store::forget_transfer(std::int64_t id) {
  return with_database([&](Database& database) {
    return database.write(Durability::Process, [&](SQLite::Database& sql) -> Result<void> {
      delete_transfer(sql, id);
      return {};
    });
  });
}

}  // namespace yonder::store
