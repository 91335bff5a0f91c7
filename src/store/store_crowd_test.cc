// Several processes and threads at once, and processes that are killed.

#include <signal.h>

#include <atomic>
#include <chrono>

#include "base/fd.h"
#include "base/text.h"
#include "base/thread.h"
#include "store/store.h"
#include "store/store_fixture_test.h"

namespace yonder::store {
namespace {

using ::testing::HasSubstr;
using yonder::testing::Scratch;

constexpr int kCrowd = 6;
constexpr int kNotesEach = 20;
const RunId kShared = run_number(999);

// What each of the crowd does: runs of its own, and one that all of them know.
Result<void> write_notes(Store& store, int who) {
  for (int i = 0; i < kNotesEach; ++i) {
    const int number = who * kNotesEach + i;
    TRY(store.remember(note_of(run_number(number))));
    TRY(store.remember(note_of(kShared)));
    TRY(store.saw("gpu1", kShared, "running", std::nullopt, 10'000 + number));
    TRY(store.move_cursor(concat("reader ", who), kShared, static_cast<std::uint64_t>(i)));
    TRY(store.sandbox_answered("gpu1", number));
  }
  return {};
}

// "" when all was written.
std::string writing_problem(Store& store, int who) {
  const auto written = write_notes(store, who);
  return written ? "" : written.error().message;
}

void expect_everything_once(const std::string& path) {
  Store store(path);
  EXPECT_EQ(store.runs({})->size(), std::size_t{kCrowd * kNotesEach + 1});
  for (int i = 0; i < kCrowd * kNotesEach; ++i) {
    EXPECT_TRUE(store.find(run_number(i))->has_value()) << i;
  }
  EXPECT_EQ((*store.find(kShared))->seen_ms, 10'000 + kCrowd * kNotesEach - 1);
  for (int who = 0; who < kCrowd; ++who) {
    EXPECT_EQ(*store.cursor(concat("reader ", who), kShared), std::uint64_t{kNotesEach - 1});
  }
  EXPECT_EQ(**store.last_answer("gpu1"), kCrowd * kNotesEach - 1);
  EXPECT_EQ(answer(path, "PRAGMA integrity_check"), "ok\n");
}

TEST(StoreCrowd, OfProcessesLosesNothingAndDoublesNothing) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  auto gate = make_pipe();
  ASSERT_TRUE(gate);
  std::vector<pid_t> children;
  for (int who = 0; who < kCrowd; ++who) {
    children.push_back(in_child([&] {
      // All begin at once, so that they also race for the creation of the file.
      gate->write.reset();
      char nothing = 0;
      (void)read_some(gate->read, &nothing, 1);
      Store store(path);
      return writing_problem(store, who).empty() ? 0 : 1;
    }));
  }
  gate->write.reset();
  for (const pid_t child : children) EXPECT_EQ(finish(child), 0);
  expect_everything_once(path);
}

TEST(StoreCrowd, OfThreadsSharesOneStore) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  {
    Store store(path);
    std::vector<Thread> threads;
    for (int who = 0; who < kCrowd; ++who) {
      threads.emplace_back("writer", [&store, who] { EXPECT_EQ(writing_problem(store, who), ""); });
    }
  }
  expect_everything_once(path);
}

TEST(StoreCrowd, OfStoresInOneProcessDoesNotDropItsOwnLocks) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  {
    std::vector<Thread> threads;
    for (int who = 0; who < kCrowd; ++who) {
      threads.emplace_back("writer", [&path, who] {
        Store store(path);
        EXPECT_EQ(writing_problem(store, who), "");
      });
    }
  }
  expect_everything_once(path);
}

TEST(StoreCrowd, WaitsForAnotherWriter) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  Store store(path);
  ASSERT_TRUE(store.runs({}));
  SQLite::Database other = raw(path);
  other.exec("BEGIN IMMEDIATE");
  std::atomic<bool> begun = false;
  std::atomic<bool> written = false;
  {
    const Thread writer("writer", [&] {
      begun = true;
      written = store.remember(note_of(run_number(1))).has_value();
    });
    EXPECT_TRUE(yonder::testing::eventually([&] { return begun.load(); }));
    EXPECT_FALSE(written);
    other.exec("COMMIT");
  }
  EXPECT_TRUE(written);
}

TEST(StoreCrowd, ReadsWhileAnotherWrites) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  Store store(path);
  ASSERT_TRUE(store.remember(note_of(run_number(1))));
  SQLite::Database other = raw(path);
  other.exec("BEGIN IMMEDIATE; DELETE FROM runs");
  EXPECT_EQ(store.runs({})->size(), 1U);
}

TEST(StoreCrowd, GivesUpOnAWriterThatNeverEndsAndSaysSo) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  Store store(path);
  ASSERT_TRUE(store.runs({}));
  SQLite::Database other = raw(path);
  other.exec("BEGIN IMMEDIATE");
  const auto begin = std::chrono::steady_clock::now();
  const auto refused = store.remember(note_of(run_number(1)));
  EXPECT_GT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::Timeout);
  EXPECT_THAT(refused.error().message, HasSubstr(path));
  other.exec("ROLLBACK");
  EXPECT_TRUE(store.remember(note_of(run_number(1))));
}

// Writes notes for ever, and says the number of each as soon as it was acknowledged.
int write_until_killed(const std::string& path, int first, const Fd& acknowledged) {
  Store store(path);
  for (int number = first;; ++number) {
    if (!store.remember(note_of(run_number(number)))) return 1;
    if (!write_all(acknowledged, "x")) return 1;
  }
}

// Before it is killed it can be ahead of its reader by what fits into a pipe.
constexpr int kMostAhead = 100000;

// How many were acknowledged before the process was killed.
int kill_a_writer(const std::string& path, int first, int at_least) {
  auto pipe = make_pipe();
  if (!pipe) return 0;
  const pid_t child = in_child([&] { return write_until_killed(path, first, pipe->write); });
  pipe->write.reset();
  int acknowledged = 0;
  std::array<char, 64> buffer{};
  while (true) {
    const auto n = read_some(pipe->read, buffer.data(), buffer.size());
    if (!n || *n == 0) break;
    acknowledged += static_cast<int>(*n);
    if (acknowledged >= at_least) ::kill(child, SIGKILL);
  }
  finish(child);
  return acknowledged;
}

TEST(StoreCrowd, KeepsWhatItAcknowledgedBeforeItWasKilled) {
  const Scratch scratch;
  const std::string path = scratch / "yonder.db";
  for (int round = 0; round < 8; ++round) {
    const int first = round * kMostAhead;
    const int acknowledged = kill_a_writer(path, first, 1 + round * 5);
    ASSERT_GT(acknowledged, round * 5);
    ASSERT_LT(acknowledged, kMostAhead);
    Store store(path);
    for (int i = 0; i < acknowledged; ++i) {
      ASSERT_TRUE(store.find(run_number(first + i))->has_value()) << round << ", " << i;
    }
    EXPECT_EQ(answer(path, "PRAGMA integrity_check"), "ok\n");
  }
}

}  // namespace
}  // namespace yonder::store
