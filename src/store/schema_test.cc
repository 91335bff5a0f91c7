#include "store/schema.h"

#include <vector>

#include "base/text.h"
#include "base/thread.h"
#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using yonder::testing::Scratch;

// As it was; never to be changed along with the code.
constexpr const char* kVersion1 = R"sql(
  PRAGMA journal_mode = WAL;
  CREATE TABLE runs (
    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, sandbox TEXT NOT NULL, kind TEXT NOT NULL,
    key TEXT NOT NULL, command TEXT NOT NULL, cwd TEXT NOT NULL, session TEXT NOT NULL,
    log_file TEXT NOT NULL, launcher TEXT NOT NULL, created_ms INTEGER NOT NULL,
    state TEXT NOT NULL, exit_code INTEGER, seen_ms INTEGER NOT NULL) STRICT;
  CREATE INDEX runs_by_age ON runs (created_ms);
  INSERT INTO runs VALUES (1, 'r-aaaaaaaaaaaaaaaa', 'gpu1', 'exec', 'k', 'make', '/src', 'work',
    '/log', 'tmux', 1000, 'exited', 3, 2000);
  INSERT INTO runs VALUES (2, 'r-bbbbbbbbbbbbbbbb', 'gpu2', 'background', '', 'train', '/', '', '',
    '', 1500, 'running', NULL, 1500);
  PRAGMA user_version = 1;
)sql";

std::string file_of_version_1(const Scratch& scratch) {
  std::string path = scratch / "yonder.db";
  raw(path).exec(kVersion1);
  return path;
}

std::string columns(const std::string& path) {
  return answer(path,
                "SELECT m.name || '.' || c.name || ' ' || c.type FROM sqlite_schema m"
                " JOIN pragma_table_info(m.name) c WHERE m.type = 'table' ORDER BY 1") +
         answer(path, "SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY 1");
}

TEST(Schema, OfAnEmptyFileBecomesThePresentOne) {
  const Scratch scratch;
  const std::string path = scratch.write("yonder.db", "");
  EXPECT_TRUE(Store(path).remember(note_of(run_number(1))));
  EXPECT_EQ(answer(path, "PRAGMA user_version"), "6\n");
  EXPECT_EQ(answer(path, "PRAGMA journal_mode"), "wal\n");
  EXPECT_EQ(answer(path, "SELECT id FROM runs"), run_number(1).str() + "\n");
}

TEST(Schema, OfVersion1IsMigratedWithAllItHolds) {
  const Scratch scratch;
  const std::string path = file_of_version_1(scratch);
  Store store(path);
  const auto notes = store.runs({});
  ASSERT_TRUE(notes) << notes.error().message;
  EXPECT_THAT(ids_of(notes), ElementsAre("r-bbbbbbbbbbbbbbbb", "r-aaaaaaaaaaaaaaaa"));
  const RunNote& note = notes->at(1);
  EXPECT_EQ(note.command, "make");
  EXPECT_EQ(note.session, "work");
  EXPECT_EQ(note.exit_code, 3);
  EXPECT_EQ(note.seen_ms, 2000);
  EXPECT_EQ(note.description, "");
  EXPECT_FALSE(notes->at(0).exit_code.has_value());
  EXPECT_TRUE(store.move_cursor("me", note.id, 7));
  EXPECT_TRUE(store.sandbox_answered("gpu1", 1));
  EXPECT_EQ(answer(path, "PRAGMA user_version"), "6\n");
}

TEST(Schema, IsTheSameForANewFileAndForAMigratedOne) {
  const Scratch scratch;
  const std::string migrated = file_of_version_1(scratch);
  const std::string fresh = scratch / "fresh.db";
  EXPECT_TRUE(Store(migrated).runs({}));
  EXPECT_TRUE(Store(fresh).runs({}));
  // SQLite lists an added column last, wherever a new table would have it; so by name.
  EXPECT_EQ(columns(migrated), columns(fresh));
  EXPECT_THAT(columns(fresh), HasSubstr("runs.description TEXT\n"));
  EXPECT_THAT(columns(fresh), HasSubstr("cursors.offset INTEGER\n"));
  EXPECT_THAT(columns(fresh), HasSubstr("transfers.worker_pid INTEGER\n"));
  EXPECT_THAT(columns(fresh), HasSubstr("choices.chosen_ms INTEGER\n"));
  EXPECT_THAT(columns(fresh), HasSubstr("state_places.place TEXT\n"));
}

TEST(Schema, OfThePresentVersionIsOpenedWithoutAChange) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  EXPECT_TRUE(Store(path).remember(note_of(run_number(1))));
  const std::string before = scratch.read("yonder.db");
  EXPECT_TRUE(Store(path).runs({}));
  EXPECT_EQ(scratch.read("yonder.db"), before);
}

TEST(Schema, OfANewerYonderIsRefusedAndNotTouched) {
  const Scratch scratch;
  const std::string path = file_of_version_1(scratch);
  raw(path).exec("PRAGMA user_version = 99; ALTER TABLE runs ADD COLUMN colour TEXT");
  const std::string before = scratch.read("yonder.db");
  const auto refused = Store(path).remember(note_of(run_number(1)));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Config);
  EXPECT_THAT(refused.error().message, HasSubstr(path));
  EXPECT_THAT(refused.error().message, HasSubstr("version 99"));
  EXPECT_THAT(refused.error().message, HasSubstr("up to 6"));
  EXPECT_THAT(refused.error().hint, HasSubstr("upgrade yonder"));
  EXPECT_THAT(refused.error().hint, Not(HasSubstr("mv")));
  EXPECT_EQ(scratch.read("yonder.db"), before);
}

TEST(Schema, OfAnotherProgramIsRefusedAndNotTouched) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  raw(path).exec("CREATE TABLE bookmarks (url TEXT)");
  const std::string before = scratch.read("yonder.db");
  const auto refused = Store(path).runs({});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("another program"));
  EXPECT_EQ(scratch.read("yonder.db"), before);
}

TEST(Schema, IsMigratedWholeOrNotAtAll) {
  const Scratch scratch;
  const std::string path = file_of_version_1(scratch);
  raw(path).exec("CREATE TABLE sandboxes_seen (in_the_way TEXT)");
  const std::string before = columns(path);
  const auto failed = Store(path).runs({});
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr(path));
  EXPECT_EQ(answer(path, "PRAGMA user_version"), "1\n");
  EXPECT_EQ(columns(path), before);
}

TEST(Schema, IsMigratedOnceByManyProcessesAtOnce) {
  const Scratch scratch;
  const std::string path = file_of_version_1(scratch);
  std::vector<pid_t> children;
  for (int i = 0; i < 6; ++i) {
    children.push_back(in_child([&] { return ids_of(Store(path).runs({})).size() == 2 ? 0 : 1; }));
  }
  for (const pid_t child : children) EXPECT_EQ(finish(child), 0);
  EXPECT_EQ(answer(path, "SELECT count(*) FROM runs"), "2\n");
  EXPECT_EQ(answer(path, "PRAGMA integrity_check"), "ok\n");
}

}  // namespace
}  // namespace yonder::store
