#include "sync/next_record.h"

#include <gtest/gtest.h>

namespace yonder::sync {
namespace {

using tree::Entry;
using tree::Seen;

constexpr std::int64_t kSecond = 1000000000;
constexpr std::int64_t kThen = 100 * kSecond;
constexpr std::int64_t kNow = 900 * kSecond;

Entry file(const std::string& path, std::int64_t mtime) {
  return {.path = path, .size = 1, .mtime_ns = mtime};
}
Seen seen(std::int64_t mtime) {
  return {.exists = true, .size = 1, .mtime_ns = mtime};
}

// Of a sync that read its source at kThen.
BaseRecord before(const std::vector<Entry>& entries) {
  BaseRecord record;
  record.set_scanned_ns(kThen);
  for (const auto& entry : entries) record.note(entry.path, tree::seen_as(entry));
  return record;
}

TEST(NextRecord, SaysNothingNewWhereNothingIs) {
  NextRecord next(before({file("a", 1), file("b", 2), file("d/c", 3)}), kNow);
  next.settle("a", seen(1));
  next.carry_over(file("a", 1), 1);
  next.carry_over(file("b", 2), 1);
  EXPECT_TRUE(next.is_new()) << "one is not there any more";
  next.carry_over_below({"d"});
  EXPECT_FALSE(next.is_new());
  const BaseRecord record = next.take();
  EXPECT_EQ(record.size(), 3U);
  EXPECT_EQ(record.scanned_ns(), kNow);
}

TEST(NextRecord, IsNewWhereAnythingIs) {
  EXPECT_TRUE(NextRecord(std::nullopt, kNow).is_new());
  NextRecord changed(before({file("a", 1)}), kNow);
  changed.settle("a", seen(2));
  EXPECT_TRUE(changed.is_new());
  NextRecord more(before({}), kNow);
  more.settle("a", seen(2));
  EXPECT_TRUE(more.is_new());
}

TEST(NextRecord, KnowsWhatIsThereAsItWasKnown) {
  NextRecord next(before({file("changed", 1), file("gone", 1)}), kNow);
  next.carry_over(file("changed", 2), 1);
  next.carry_over(file("unknown", 2), 1);
  const BaseRecord record = next.take();
  EXPECT_TRUE(record.knows("changed", seen(1)));
  EXPECT_FALSE(record.knows("changed", seen(2)));
  EXPECT_EQ(record.find("unknown"), nullptr);
  EXPECT_EQ(record.find("gone"), nullptr);
}

TEST(NextRecord, TakesWhatIsThereForWhatWasSentSince) {
  BaseRecord old = before({file("a", kSecond)});
  old.note_sent("a", seen(7 * kSecond + 5));
  old.note_sent("settled", seen(3));
  NextRecord next(std::move(old), kNow);
  next.settle("settled", seen(4));
  next.carry_over(file("a", 7 * kSecond), kSecond);
  const BaseRecord record = next.take();
  EXPECT_EQ(record.find("a")->seen.mtime_ns, 7 * kSecond + 5) << "as exactly as it is known";
  EXPECT_TRUE(record.sent().empty());
}

TEST(NextRecord, RemembersWhatWasSentToWhereNobodyLooks) {
  BaseRecord old = before({file("d/a", 1)});
  old.note_sent("d/a", seen(2));
  old.note_sent("e", seen(2));
  NextRecord next(std::move(old), kNow);
  next.carry_over_below({"d"});
  EXPECT_TRUE(next.is_new()) << "e is forgotten";
  const BaseRecord record = next.take();
  EXPECT_TRUE(record.knows("d/a", seen(1)));
  EXPECT_TRUE(record.knows("d/a", seen(2)));
  EXPECT_FALSE(record.knows("e", seen(2)));
}

TEST(NextRecord, KnowsWhenItWasReadWhatWasNotReadNow) {
  NextRecord next(before({file("a", kThen), file("b", kThen), file("d/c", kThen)}), kNow);
  next.settle("a", seen(kThen));
  next.carry_over(file("b", kThen), 1);
  next.carry_over_below({"d"});
  BaseRecord record = next.take();
  EXPECT_EQ(record.scanned_ns("a"), kNow);
  EXPECT_EQ(record.scanned_ns("b"), kThen);
  EXPECT_EQ(record.scanned_ns("d/c"), kThen);
  // Nor by the one after that.
  NextRecord last(std::move(record), 2 * kNow);
  last.settle("b", seen(kThen));
  last.carry_over_below({"d"});
  record = last.take();
  EXPECT_EQ(record.scanned_ns("b"), 2 * kNow);
  EXPECT_EQ(record.scanned_ns("d/c"), kThen);
}

}  // namespace
}  // namespace yonder::sync
