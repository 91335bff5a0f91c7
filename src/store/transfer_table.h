#pragma once

#include <SQLiteCpp/Database.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "store/transfer_note.h"

namespace yonder::store {

// The table of transfers, for store_transfers.cc, which says what they mean. All throw what SQLite
// throws; those that change something belong into Database::write.

std::int64_t insert_transfer(SQLite::Database& sql, const TransferNote& note);
std::optional<TransferNote> read_transfer(SQLite::Database& sql, std::int64_t id);
std::vector<TransferNote> read_transfers(SQLite::Database& sql, std::size_t limit);

// These say whether the row was as it had to be.
bool write_worker(SQLite::Database& sql, std::int64_t id, const WorkerKey& worker);
bool claim(SQLite::Database& sql, std::int64_t id, const WorkerKey& worker, std::int64_t at_ms);
bool write_progress(SQLite::Database& sql, std::int64_t id, const std::string& progress,
                    std::int64_t at_ms);
bool write_end(SQLite::Database& sql, std::int64_t id, const TransferEnd& end);
bool write_cancel_request(SQLite::Database& sql, std::int64_t id);

// Those that were begun before `before_ms`, and all but the newest `keep`.
std::vector<std::int64_t> old_transfers(SQLite::Database& sql, std::int64_t before_ms,
                                        std::size_t keep);
void delete_transfer(SQLite::Database& sql, std::int64_t id);

}  // namespace yonder::store
