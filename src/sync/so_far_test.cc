#include "sync/so_far.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sync/after.h"

namespace yonder::sync {
namespace {

using ::testing::ElementsAre;

SoFar sample() {
  SoFar so_far;
  so_far.report.files_sent = 3;
  so_far.report.bytes_on_wire = 1000;
  so_far.report.attributes_lost = 5;
  so_far.report.reconnects = 2;
  so_far.report.trash_batches = {"batch\xff"};
  so_far.report.warnings = {"look out"};
  so_far.unchanged = {7, 2};
  so_far.cut = {
      {.act = Act::PutFile, .path = "a"},
      {.act = Act::Remove, .path = "d", .type = tree::Type::Directory, .target = {.exists = true}}};
  return so_far;
}

TEST(SoFar, IsTheSameAfterPacking) {
  const auto again = unpack_so_far(pack(sample()));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->report.files_sent, 3U);
  EXPECT_EQ(again->report.bytes_on_wire, 1000U);
  EXPECT_EQ(again->report.attributes_lost, 5U);
  EXPECT_EQ(again->report.reconnects, 2);
  EXPECT_THAT(again->report.trash_batches, ElementsAre("batch\xff"));
  EXPECT_THAT(again->report.warnings, ElementsAre("look out"));
  ASSERT_TRUE(again->unchanged);
  EXPECT_EQ(again->unchanged->entries, 7U);
  EXPECT_EQ(again->unchanged->directories, 2U);
  EXPECT_FALSE(unpack_so_far(pack({}))->unchanged);
  ASSERT_EQ(again->cut.size(), 2U);
  EXPECT_EQ(again->cut[1].path, "d");
  EXPECT_EQ(again->cut[1].type, tree::Type::Directory);
  EXPECT_TRUE(again->cut[1].target.exists);
}

TEST(SoFar, OfGarbledBytesIsNone) {
  const std::string packed = pack(sample());
  EXPECT_FALSE(unpack_so_far(""));
  EXPECT_FALSE(unpack_so_far(packed.substr(0, packed.size() - 1)));
}

TEST(CountDone, LeavesOutWhatIsStillToDo) {
  SyncReport report;
  Plan now;
  now.actions = {{.act = Act::PutFile, .path = "a"}};
  EXPECT_EQ(count_done(report, sample().cut, now, {}), 1U) << "one is not there any more";
  EXPECT_EQ(report.files_sent, 0U);
  EXPECT_EQ(report.directories_removed, 1U);
}

TEST(CountDone, LeavesOutWhatTheTargetDoesNotShow) {
  SyncReport report;
  tree::Listing target;
  target.entries = {{.path = "d", .type = tree::Type::Directory}};
  EXPECT_EQ(count_done(report, sample().cut, {}, target), 0U);
  EXPECT_EQ(report.files_sent, 0U) << "the source has it no more, and it never arrived";
  EXPECT_EQ(report.directories_removed, 0U) << "nobody was allowed to remove it";
  target.entries = {{.path = "a"}};
  count_done(report, sample().cut, {}, target);
  EXPECT_EQ(report.files_sent, 1U);
  EXPECT_EQ(report.directories_removed, 1U);
}

TEST(CountDone, LeavesOutWhatNobodyKnows) {
  const std::vector<Action> cut{{.act = Act::PutFile, .path = "d/a"},
                                {.act = Act::PutFile, .path = "b"},
                                {.act = Act::Remove, .path = "closed/c"}};
  tree::Listing target;
  target.entries = {{.path = "b"}, {.path = "d", .type = tree::Type::Directory}, {.path = "d/a"}};
  target.skips = {{"closed", tree::SkipReason::Unreadable, "no", true}};
  Plan now;
  now.left = {{"b", Left::Conflict, "", false}, {"d", Left::Unreadable, "", true}};
  SyncReport report;
  count_done(report, cut, now, target);
  EXPECT_EQ(report.files_sent, 0U);
  EXPECT_EQ(report.files_removed, 0U);
}

TEST(CountDone, LeavesOutWhatFailed) {
  Plan plan;
  plan.actions = sample().cut;
  Tally tally;
  tally.fail(0, "a", Error{Errc::Internal, "no", ""});
  const auto cut = perhaps_done(plan, tally);
  ASSERT_EQ(cut.size(), 1U);
  EXPECT_EQ(cut[0].path, "d");
}

}  // namespace
}  // namespace yonder::sync
