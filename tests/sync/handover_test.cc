// What one process has done of a sync, and another one, or another attempt, goes on with.
#include <filesystem>

#include "base/text.h"
#include "sync/fixture.h"
#include "sync/so_far.h"

namespace yonder::sync {
namespace {

TEST_F(SyncTest, WhoeverGoesOnAddsToWhatWasDone) {
  constexpr int kFiles = 30;
  for (int i = 0; i < kFiles; ++i) write(here(concat("f", i)), "old");
  write(here("same"), "same");
  push();
  for (int i = 0; i < kFiles; ++i) write(here(concat("f", i)), "new one");
  write(here("z-large"), noise(96 << 20, 1));
  CancelSource stop;
  std::optional<SoFar> so_far;
  SyncHooks hooks{.cancel = stop.token(),
                  .on_cut = [&](const SoFar& cut) { so_far = cut; },
                  .on_progress =
                      [&](const Progress& progress) {
                        if (progress.bytes_done > (8 << 20)) stop.cancel();
                      }};
  slow_link();  // else all of it may be sent before the word to stop is heard
  ASSERT_FALSE(run(push_request(), hooks));
  ASSERT_TRUE(so_far);
  EXPECT_FALSE(so_far->cut.empty());
  // It comes to the other process as bytes.
  const auto handed_over = unpack_so_far(pack(*so_far));
  ASSERT_TRUE(handed_over);
  set_ways({"sh"});
  const auto report = run(push_request(), {.before = &*handed_over});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->complete());
  EXPECT_EQ(report->files_sent, kFiles + 1U);
  EXPECT_EQ(report->plan.counts.unchanged, 1U) << "what was sent was not unchanged";
  EXPECT_GT(report->bytes_sent, std::uint64_t{8} << 20);
  EXPECT_EQ(difference(), "");
}

TEST_F(SyncTest, APullThatWasCutOffNamesWhereItKeptWhatItReplaced) {
  write(here("a"), "old");
  write(here("z-large"), "old");
  pull();
  write(there("a"), "new one");
  write(there("z-large"), noise(6 << 20, 1));
  set_ways({cut_from(3 << 20), "sh"});
  const SyncReport report = pull({.on_conflict = ConflictChoice::KeepRemote});
  EXPECT_TRUE(report.complete());
  EXPECT_EQ(report.reconnects, 1);
  EXPECT_EQ(report.files_sent, 2U);
  EXPECT_EQ(report.trash_batches.size(), 2U);
}

}  // namespace
}  // namespace yonder::sync
