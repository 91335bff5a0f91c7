#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Transaction.h>

#include <memory>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/file.h"
#include "base/result.h"
#include "store/writer_turn.h"

namespace yonder::store {

// An open connection to a file that has the present schema. SQLite's exceptions end here.
// Thread: one at a time.
class Database {
 public:
  // Creates and migrates the file when that is needed.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Duration patience);
  // From here on, for another process that holds the file and does not write. For a crowd that
  // takes turns it waits longer.
  void wait_at_most(Duration patience) { turn_.wait_at_most(patience); }

  // Whether the path leads to another file by now, or to none.
  bool has_moved() const;

  // `use` gets the SQLite::Database and returns a value, seen at one moment.
  template <class Use>
  auto read(Use&& use) -> Result<decltype(use(std::declval<SQLite::Database&>()))> {
    try {
      return use(sql_);
    } catch (const SQLite::Exception& thrown) {
      return explain(thrown);
    }
  }

  // `use` gets the SQLite::Database and returns a Result<void>; everything it does happens, or,
  // when it fails, nothing. The lock for writing is taken at the beginning: who reads first and
  // wants to write then would be refused without waiting when another process was faster.
  template <class Use>
  Result<void> write(Durability durability, Use&& use) {
    try {
      set_durability(durability);
      SQLite::Transaction transaction(sql_, SQLite::TransactionBehavior::IMMEDIATE);
      TRY(use(sql_));
      transaction.commit();
      return {};
    } catch (const SQLite::Exception& thrown) {
      return explain(thrown);
    }
  }

 private:
  Database(const std::string& path, Duration patience);
  void set_durability(Durability durability);
  Error explain(const SQLite::Exception& thrown) const;

  std::string path_;
  SQLite::Database sql_;
  WriterTurn turn_;
};

}  // namespace yonder::store
