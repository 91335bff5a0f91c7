#include "store/store.h"

#include <sys/stat.h>

#include <algorithm>
#include <limits>

#include "base/file.h"
#include "base/text.h"
#include "model/run.h"
#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class StoreTest : public ::testing::Test {
 protected:
  yonder::testing::Scratch scratch_;
  const std::string path_ = scratch_ / "yonder.db";
  Store store_{path_};

  void remember(const RunNote& note) {
    const auto done = store_.remember(note);
    ASSERT_TRUE(done) << done.error().message;
  }
  RunNote found(const RunId& id) {
    auto note = store_.find(id);
    if (!note || !*note) {
      ADD_FAILURE() << id.str() << ": " << (note ? "not found" : note.error().message);
      return {};
    }
    return **note;
  }
};

TEST_F(StoreTest, TouchesNothingBeforeItsFirstUse) {
  EXPECT_FALSE(path_exists(path_));
  EXPECT_TRUE(store_.find(run_number(1)));
  EXPECT_TRUE(path_exists(path_));
}

TEST_F(StoreTest, KeepsItsFilesFromOthersWhateverTheUmask) {
  const mode_t before = ::umask(0);
  remember(note_of(run_number(1)));
  ::umask(before);
  for (const char* companion : {"", "-wal", "-shm"}) {
    EXPECT_EQ(yonder::testing::mode_of(path_ + companion), 0600U) << companion;
  }
}

TEST_F(StoreTest, GivesBackEveryFieldOfANote) {
  RunNote note = note_of(run_number(1), 1'700'000'000'123);
  note.session = "work";
  note.state = "exited";
  note.exit_code = -1;
  note.seen_ms = 1'700'000'009'999;
  remember(note);
  const RunNote again = found(note.id);
  EXPECT_EQ(again.id, note.id);
  EXPECT_EQ(again.sandbox, note.sandbox);
  EXPECT_EQ(again.kind, note.kind);
  EXPECT_EQ(again.key, note.key);
  EXPECT_EQ(again.command, note.command);
  EXPECT_EQ(again.description, note.description);
  EXPECT_EQ(again.cwd, note.cwd);
  EXPECT_EQ(again.session, note.session);
  EXPECT_EQ(again.log_file, note.log_file);
  EXPECT_EQ(again.launcher, note.launcher);
  EXPECT_EQ(again.created_ms, note.created_ms);
  EXPECT_EQ(again.state, note.state);
  EXPECT_EQ(again.exit_code, note.exit_code);
  EXPECT_EQ(again.seen_ms, note.seen_ms);
}

TEST_F(StoreTest, KeepsTextAsItIsWhateverItsBytes) {
  RunNote note = note_of(run_number(1));
  note.command = concat("'; DROP TABLE runs; --", '\0', "\xff\n\xc3\xa4");
  remember(note);
  EXPECT_EQ(found(note.id).command, note.command);
}

TEST_F(StoreTest, IsReadByTheNextProcess) {
  remember(note_of(run_number(1)));
  Store other(path_);
  EXPECT_THAT(ids_of(other.runs({})), ElementsAre(run_number(1).str()));
}

TEST_F(StoreTest, FindsNoRunThatNobodyRemembers) {
  const auto note = store_.find(run_number(1));
  ASSERT_TRUE(note);
  EXPECT_FALSE(note->has_value());
}

TEST_F(StoreTest, UpdatesEverythingButTheBeginning) {
  remember(note_of(run_number(1), 1000));
  RunNote changed = note_of(run_number(1), 2000);
  changed.session = "work";
  changed.description = "";
  remember(changed);
  const RunNote note = found(run_number(1));
  EXPECT_EQ(note.created_ms, 1000);
  EXPECT_EQ(note.session, "work");
  EXPECT_EQ(note.description, "");
  EXPECT_EQ(note.seen_ms, 2000);
  EXPECT_EQ(store_.runs({})->size(), 1U);
}

TEST_F(StoreTest, DoesNotBringARunBackToLifeByRememberingItAgain) {
  remember(note_of(run_number(1), 1000));
  ASSERT_TRUE(store_.saw("gpu1", run_number(1), "exited", 3, 2000));
  RunNote again = note_of(run_number(1), 3000);
  again.command = "make -j4";
  remember(again);
  EXPECT_EQ(found(run_number(1)).command, "make -j4");
  EXPECT_EQ(found(run_number(1)).state, "exited");
  EXPECT_EQ(found(run_number(1)).exit_code, 3);
  EXPECT_EQ(found(run_number(1)).seen_ms, 2000);
}

TEST_F(StoreTest, KeepsTheBestSightingOfARun) {
  remember(note_of(run_number(1), 1000));
  ASSERT_TRUE(store_.saw("gpu1", run_number(1), "unknown", std::nullopt, 900));
  EXPECT_EQ(found(run_number(1)).state, "running");
  ASSERT_TRUE(store_.saw("gpu1", run_number(1), "unknown", std::nullopt, 1100));
  EXPECT_EQ(found(run_number(1)).state, "unknown");
  ASSERT_TRUE(store_.saw("gpu1", run_number(1), "exited", 0, 1200));
  ASSERT_TRUE(store_.saw("gpu1", run_number(1), "running", std::nullopt, 1300));
  EXPECT_EQ(found(run_number(1)).state, "exited");
  EXPECT_EQ(found(run_number(1)).exit_code, 0);
  EXPECT_EQ(found(run_number(1)).seen_ms, 1200);
}

TEST_F(StoreTest, NotesAWholeLookInOneGo) {
  const RunId known("r-aaaaaaaaaaaaaaaa");
  const RunId fresh("r-bbbbbbbbbbbbbbbb");
  const RunId unknown("r-cccccccccccccccc");
  ASSERT_TRUE(store_.remember({.id = known, .sandbox = "box", .kind = "background"}));
  Store::Look look{.at_ms = 77};
  look.runs.push_back({.id = fresh, .sandbox = "far", .kind = "background"});
  look.seen = {{"box", known, "exited", 3}, {"box", unknown, "running", std::nullopt}};
  look.answered = {"box", "far"};
  ASSERT_TRUE(store_.note(look));
  EXPECT_EQ((*store_.find(known))->state, "exited");
  EXPECT_EQ((*store_.find(known))->exit_code, 3);
  EXPECT_EQ((*store_.find(fresh))->sandbox, "far");
  EXPECT_FALSE(*store_.find(unknown));
  EXPECT_EQ(*store_.last_answer("far"), 77);
  EXPECT_TRUE(store_.note({})) << "nothing is nothing";
}

TEST_F(StoreTest, LetsNoMachineChangeWhatIsKnownOfTheRunOfAnother) {
  remember(note_of(run_number(1), 1000));
  RunNote claimed = note_of(run_number(1), 2000);
  claimed.sandbox = "gpu2";
  claimed.command = "rm -rf /";
  claimed.state = "exited";
  const auto refused = store_.remember(claimed);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Conflict);
  EXPECT_FALSE(store_.saw("gpu2", run_number(1), "exited", 0, 3000));
  Store::Look look{.at_ms = 4000};
  look.runs = {claimed, note_of(run_number(2))};
  look.seen = {{"gpu2", run_number(1), "exited", 0}};
  ASSERT_TRUE(store_.note(look)) << "the rest of a look counts";
  const RunNote note = found(run_number(1));
  EXPECT_EQ(note.sandbox, "gpu1");
  EXPECT_EQ(note.command, "make -j8");
  EXPECT_EQ(note.state, "running");
  EXPECT_EQ(note.seen_ms, 1000);
  EXPECT_EQ(found(run_number(2)).sandbox, "gpu1");
}

TEST_F(StoreTest, TakesARunOverFromASandboxThatIsGoneWhenItIsToldTo) {
  remember(note_of(run_number(1), 1000));
  Store::Look look{.at_ms = 4000};
  look.adopted = {note_of(run_number(1), 2000)};
  look.adopted.front().sandbox = "new-name";
  ASSERT_TRUE(store_.note(look));
  EXPECT_EQ(found(run_number(1)).sandbox, "new-name");
  EXPECT_EQ(found(run_number(1)).created_ms, 1000);
}

TEST_F(StoreTest, SaysWhenASightingIsOfARunThatNobodyRemembers) {
  const auto done = store_.saw("gpu1", run_number(1), "running", std::nullopt, 1);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, Errc::NotFound);
  EXPECT_THAT(done.error().message, HasSubstr(run_number(1).str()));
}

TEST_F(StoreTest, FindsRunsByTheBeginningOfTheirId) {
  for (const char* id : {"r-abcaaaaaaaaaaaaa", "r-abdaaaaaaaaaaaaa", "r-raaaaaaaaaaaaaaa"}) {
    remember(note_of(RunId(id)));
  }
  EXPECT_THAT(ids_of(store_.find_by_prefix("r-abc", 10)), ElementsAre("r-abcaaaaaaaaaaaaa"));
  EXPECT_THAT(ids_of(store_.find_by_prefix("abd", 10)), ElementsAre("r-abdaaaaaaaaaaaaa"));
  EXPECT_THAT(ids_of(store_.find_by_prefix("ra", 10)), ElementsAre("r-raaaaaaaaaaaaaaa"));
  EXPECT_THAT(ids_of(store_.find_by_prefix("r-abcaaaaaaaaaaaaa", 10)),
              ElementsAre("r-abcaaaaaaaaaaaaa"));
  EXPECT_EQ(store_.find_by_prefix("ab", 10)->size(), 2U);
  EXPECT_EQ(store_.find_by_prefix("ab", 1)->size(), 1U);
  for (const char* nothing : {"%", "_", "*", "b", "r-b", "abcb", "'"}) {
    EXPECT_THAT(ids_of(store_.find_by_prefix(nothing, 10)), IsEmpty()) << nothing;
  }
}

TEST_F(StoreTest, FindsRunsBySessionNewestFirst) {
  for (int i = 1; i <= 4; ++i) {
    RunNote note = note_of(run_number(i), std::int64_t{1000} * i);
    note.session = i == 4 ? "" : "work";
    note.sandbox = i == 2 ? "gpu2" : "gpu1";
    remember(note);
  }
  EXPECT_THAT(ids_of(store_.find_by_session("", "work")),
              ElementsAre(run_number(3).str(), run_number(2).str(), run_number(1).str()));
  EXPECT_THAT(ids_of(store_.find_by_session("gpu2", "work")), ElementsAre(run_number(2).str()));
  EXPECT_THAT(ids_of(store_.find_by_session("gpu2", "play")), IsEmpty());
  // A run without a session is in none, not in the one without a name.
  EXPECT_THAT(ids_of(store_.find_by_session("", "")), IsEmpty());
}

TEST_F(StoreTest, FindsRunsByTheirLogNewestFirst) {
  for (int i = 1; i <= 3; ++i) {
    RunNote note = note_of(run_number(i), std::int64_t{1000} * i);
    note.log_file = i == 3 ? "" : "/home/me/train.log";
    note.sandbox = i == 2 ? "gpu2" : "gpu1";
    remember(note);
  }
  EXPECT_THAT(ids_of(store_.find_by_log("", "/home/me/train.log")),
              ElementsAre(run_number(2).str(), run_number(1).str()));
  EXPECT_THAT(ids_of(store_.find_by_log("gpu1", "/home/me/train.log")),
              ElementsAre(run_number(1).str()));
  EXPECT_THAT(ids_of(store_.find_by_log("", "")), IsEmpty());
}

TEST_F(StoreTest, ListsRunsNewestFirstAndTheLastRememberedOfOneMomentFirst) {
  remember(note_of(run_number(1), 2000));
  remember(note_of(run_number(2), 1000));
  remember(note_of(run_number(3), 2000));
  EXPECT_THAT(ids_of(store_.runs({})),
              ElementsAre(run_number(3).str(), run_number(1).str(), run_number(2).str()));
  EXPECT_THAT(ids_of(store_.runs({.limit = 2})),
              ElementsAre(run_number(3).str(), run_number(1).str()));
  EXPECT_EQ(store_.runs({.limit = std::numeric_limits<std::size_t>::max()})->size(), 3U);
}

TEST_F(StoreTest, ListsTheRunsThatAFilterLetsThrough) {
  RunNote exec = note_of(run_number(1));
  exec.kind = "exec";
  remember(exec);
  RunNote elsewhere = note_of(run_number(2));
  elsewhere.sandbox = "gpu2";
  remember(elsewhere);
  EXPECT_THAT(ids_of(store_.runs({.sandbox = "gpu2"})), ElementsAre(run_number(2).str()));
  EXPECT_THAT(ids_of(store_.runs({.kind = "exec"})), ElementsAre(run_number(1).str()));
  EXPECT_THAT(ids_of(store_.runs({.sandbox = "gpu2", .kind = "exec"})), IsEmpty());
  EXPECT_THAT(ids_of(store_.runs({.sandbox = ""})), IsEmpty());
}

TEST_F(StoreTest, CallsUnfinishedWhatTheModelCallsUnfinished) {
  for (int i = 0; i <= static_cast<int>(RunState::Unknown); ++i) {
    RunNote note = note_of(run_number(i));
    note.state = name_of(static_cast<RunState>(i));
    remember(note);
  }
  const auto unfinished = ids_of(store_.runs({.unfinished_only = true}));
  for (int i = 0; i <= static_cast<int>(RunState::Unknown); ++i) {
    const auto listed = std::count(unfinished.begin(), unfinished.end(), run_number(i).str());
    const auto state = static_cast<RunState>(i);
    EXPECT_EQ(listed, has_ended(state) ? 0 : 1) << name_of(state);
  }
}

TEST_F(StoreTest, ForgetsARunWithItsCursors) {
  remember(note_of(run_number(1)));
  ASSERT_TRUE(store_.move_cursor("me", run_number(1), 10));
  ASSERT_TRUE(store_.forget(run_number(1)));
  EXPECT_FALSE(store_.find(run_number(1))->has_value());
  EXPECT_EQ(*store_.cursor("me", run_number(1)), 0U);
  EXPECT_EQ(answer(path_, "SELECT count(*) FROM cursors"), "0\n");
  EXPECT_TRUE(store_.forget(run_number(1)));
}

TEST_F(StoreTest, KeepsACursorForEachReaderAndRun) {
  remember(note_of(run_number(1)));
  remember(note_of(run_number(2)));
  ASSERT_TRUE(store_.move_cursor("me", run_number(1), 10));
  ASSERT_TRUE(store_.move_cursor("you", run_number(1), 20));
  ASSERT_TRUE(store_.move_cursor("me", run_number(2), 1ULL << 40U));
  ASSERT_TRUE(store_.move_cursor("me", run_number(1), 5));
  EXPECT_EQ(*store_.cursor("me", run_number(1)), 5U);
  EXPECT_EQ(*store_.cursor("you", run_number(1)), 20U);
  EXPECT_EQ(*store_.cursor("me", run_number(2)), 1ULL << 40U);
  EXPECT_EQ(*store_.cursor("you", run_number(2)), 0U);
}

TEST_F(StoreTest, RefusesCursorsThatCannotBe) {
  const auto unknown = store_.move_cursor("me", run_number(1), 10);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::NotFound);
  const auto too_far = store_.move_cursor("me", run_number(1), ~0ULL);
  ASSERT_FALSE(too_far);
  EXPECT_EQ(too_far.error().code, Errc::InvalidArgument);
}

TEST_F(StoreTest, KnowsWhenASandboxLastAnswered) {
  EXPECT_FALSE(store_.last_answer("gpu1")->has_value());
  ASSERT_TRUE(store_.sandbox_answered("gpu1", 2000));
  ASSERT_TRUE(store_.sandbox_answered("gpu1", 1000));
  EXPECT_EQ(**store_.last_answer("gpu1"), 2000);
  ASSERT_TRUE(store_.sandbox_answered("gpu1", 3000));
  EXPECT_EQ(**store_.last_answer("gpu1"), 3000);
  EXPECT_FALSE(store_.last_answer("gpu2")->has_value());
}

}  // namespace
}  // namespace yonder::store
