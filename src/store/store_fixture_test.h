#pragma once

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/scratch_test.h"
#include "store/store.h"

namespace yonder::store {

// "r-" and 16 letters, all alike but for the number at the end.
inline RunId run_number(int number) {
  std::string letters(16, 'a');
  for (auto letter = letters.rbegin(); number > 0; ++letter, number /= 6) {
    *letter = static_cast<char>('2' + number % 6);
  }
  return RunId("r-" + letters);
}

inline RunNote note_of(const RunId& id, std::int64_t created_ms = 1000) {
  return {.id = id,
          .sandbox = "gpu1",
          .kind = "background",
          .key = "nightly",
          .command = "make -j8",
          .description = "the nightly build",
          .cwd = "/srv/build",
          .session = "",
          .log_file = "/home/me/" + id.str() + "/out",
          .launcher = "setsid",
          .created_ms = created_ms,
          .state = "running",
          .seen_ms = created_ms};
}

inline std::vector<std::string> ids_of(const Result<std::vector<RunNote>>& found) {
  if (!found) return {found.error().message};
  std::vector<std::string> ids;
  for (const auto& note : *found) ids.push_back(note.id.str());
  return ids;
}

// The database as another program sees it.
inline SQLite::Database raw(const std::string& path) {
  return SQLite::Database(path, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, 5000);
}

inline std::string answer(const std::string& path, const std::string& query) {
  SQLite::Database sql = raw(path);
  SQLite::Statement statement(sql, query);
  std::string all;
  while (statement.executeStep()) all += statement.getColumn(0).getString() + "\n";
  return all;
}

// A child process, which ends with the exit code that `body` returns. Waited for by finish().
inline pid_t in_child(const std::function<int()>& body) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(body());
  return child;
}
inline int finish(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

}  // namespace yonder::store
