#include "sync/works.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "tree/part.h"

namespace yonder::sync {
namespace {

Action put(std::uint64_t size, std::uint64_t old_size = 0) {
  Action action{.act = Act::PutFile, .path = "f", .size = size};
  if (old_size > 0) action.target = {.exists = true, .size = old_size};
  return action;
}

TEST(Works, SmallFilesGoInBundlesLargeOnesInSegments) {
  Plan plan;
  for (int i = 0; i < 1000; ++i) plan.actions.push_back(put(10));
  plan.actions.push_back(put(tree::kLargeFile));
  plan.actions.push_back({.act = Act::Remove, .path = "x"});
  const WorkList list = cut_into_works(plan, true);
  EXPECT_EQ(list.works.size(), 2U);
  EXPECT_EQ(list.large.size(), 1U);
  EXPECT_EQ(list.bytes, 10000 + tree::kLargeFile);
  std::size_t files = 0;
  for (const Work& work : list.works) files += work.actions.size();
  EXPECT_EQ(files, 1000U);
}

TEST(Works, OnlyAFileThatReplacesALargeOneGoesAsADifference) {
  Plan plan;
  plan.actions = {put(5000000), put(5000000, 1000), put(1000, 5000000)};
  EXPECT_FALSE(has_delta(plan));
  plan.actions.push_back(put(5000000, 5000000));
  EXPECT_TRUE(has_delta(plan));
  const auto deltas = [&](bool wanted) {
    const auto large = cut_into_works(plan, wanted).large;
    return std::count_if(large.begin(), large.end(),
                         [](const LargeFile& file) { return file.delta; });
  };
  EXPECT_EQ(deltas(true), 1);
  EXPECT_EQ(deltas(false), 0);
  plan.actions.back().set_aside = "f.old";  // it is not there any more when the new one comes
  EXPECT_FALSE(has_delta(plan));
}

TEST(Works, WhatIsMissingOfADifferenceIsOneWork) {
  const std::uint64_t size = 5 * tree::kSegment + 7;
  const std::vector<tree::SegmentRun> missing{{1, 2}, {5, 1}};
  WorkList list;
  add_missing(list, {.action = 3, .delta = true}, size, missing);
  add_missing(list, {.action = 4, .delta = true}, size, {});
  ASSERT_EQ(list.works.size(), 1U);
  EXPECT_EQ(list.works[0].kind, Work::Kind::Delta);
  EXPECT_EQ(list.works[0].bytes, 2 * tree::kSegment + 7);
  EXPECT_EQ(list.works[0].runs.size(), 2U);
  add_missing(list, {.action = 5}, size, missing);
  ASSERT_EQ(list.works.size(), 3U);
  EXPECT_EQ(list.works[2].kind, Work::Kind::Segment);
  EXPECT_EQ(list.works[2].bytes, 7U);
}

TEST(Works, ManySegmentsAreOneWorkUntilTheyAreTaken) {
  const std::uint64_t size = 3 * tree::kSegment + 5;
  WorkQueue queue({segment_work(7, size, {1, 3})});
  EXPECT_EQ(queue.bytes_left(), 2 * tree::kSegment + 5);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> taken;
  while (const auto work = queue.take()) {
    EXPECT_EQ(work->segments, 1U);
    EXPECT_EQ(work->actions.front(), 7U);
    taken.emplace_back(work->segment, work->bytes);
  }
  const std::vector<std::pair<std::uint64_t, std::uint64_t>> all{
      {1, tree::kSegment}, {2, tree::kSegment}, {3, 5}};
  EXPECT_EQ(taken, all);
}

TEST(Works, WhatIsTooLargeForAnybodyIsNoWork) {
  Plan plan;
  plan.actions = {put(4ULL << 60U, 5000000), put(10)};
  const WorkList list = cut_into_works(plan, true);
  EXPECT_EQ(list.too_large, std::vector<std::size_t>{0});
  EXPECT_EQ(list.works.size(), 1U);
  EXPECT_EQ(list.bytes, 10U);
}

TEST(Works, AQueueGivesNothingMoreAfterAFailure) {
  WorkQueue queue({Work{}, Work{}});
  EXPECT_TRUE(queue.take());
  queue.fail({Errc::LinkLost, "first", ""});
  queue.fail({Errc::Internal, "second", ""});
  EXPECT_FALSE(queue.take());
  EXPECT_TRUE(queue.finished());
  EXPECT_EQ(queue.error()->message, "first");
}

TEST(Works, TheFirstLinkWorksOnlyAlone) {
  WorkQueue queue({Work{}, Work{}});
  queue.join();
  EXPECT_FALSE(queue.take_when_alone());
  EXPECT_TRUE(queue.take());
  queue.leave();
  EXPECT_TRUE(queue.take_when_alone());
  EXPECT_TRUE(queue.finished());
}

}  // namespace
}  // namespace yonder::sync
