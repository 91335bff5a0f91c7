#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/sync.h"

namespace yonder::ops {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SyncCall call_of(const Json& arguments, sync::Direction direction = sync::Direction::Push) {
  auto call = parse_sync_call(arguments, direction);
  EXPECT_TRUE(call) << call.error().message;
  return call ? *call : SyncCall{};
}

std::string refusal(const Json& arguments) {
  const auto call = parse_sync_call(arguments, sync::Direction::Push);
  return call ? "(accepted)" : call.error().message;
}

TEST(SyncArguments, HaveTheKnownDefaults) {
  const SyncCall push = call_of(Json::object());
  EXPECT_EQ(push.what.local_path, ".");
  EXPECT_EQ(push.what.remote_path, ".");
  EXPECT_TRUE(push.what.options.default_rules);
  EXPECT_TRUE(push.what.options.keep_replaced);
  EXPECT_FALSE(push.what.options.delete_extras);
  EXPECT_FALSE(push.what.options.flush_to_disk);
  EXPECT_EQ(push.wait, Duration(std::chrono::seconds(50)));
  EXPECT_EQ(call_of(Json::object(), sync::Direction::Pull).what.local_path, "./remote_mirror");
}

TEST(SyncArguments, SurviveTheWayToAWorker) {
  const Json arguments{
      {"delete_extras", true},     {"confirm_delete", 12},     {"delete_ignored", true},
      {"excludes", {"*.o", "!x"}}, {"exclude_file", "/rules"}, {"use_gitignore", true},
      {"default_excludes", false}, {"checksum", true},         {"hard_links", true},
      {"on_conflict", "both"},     {"trash", false},           {"fsync", true}};
  const SyncCall call = call_of(arguments);
  EXPECT_EQ(call.what.options.confirm_delete, 12U);
  EXPECT_THAT(call.what.options.excludes, ElementsAre("*.o", "!x"));
  EXPECT_EQ(call.what.options.on_conflict, sync::ConflictChoice::Both);
  EXPECT_TRUE(call.what.options.delete_ignored);
  EXPECT_EQ(options_json(call.what), arguments);
  EXPECT_EQ(options_json(call_of(options_json(SyncCall{}.what)).what),
            options_json(SyncCall{}.what));
}

TEST(SyncArguments, SayWhatIsWrong) {
  EXPECT_THAT(refusal({{"excludes", 7}}), HasSubstr("excludes: must be a list"));
  EXPECT_THAT(refusal({{"excludes", {1}}}), HasSubstr("excludes"));
  EXPECT_THAT(refusal({{"confirm_delete", -1}}), HasSubstr("confirm_delete"));
  EXPECT_THAT(refusal({{"on_conflict", "mine"}}), HasSubstr("keep_local"));
  EXPECT_THAT(refusal({{"local_path", ""}}), HasSubstr("local_path"));
  EXPECT_THAT(refusal({{"dry_run", true}, {"background", true}}), HasSubstr("dry_run"));
  EXPECT_THAT(refusal({{"delete", true}}), HasSubstr("unknown argument"));
}

TEST(InlineLimits, AreTheDocumentedOnes) {
  const auto limits = inline_limits({});
  ASSERT_TRUE(limits);
  EXPECT_EQ(limits->files, 200U);
  EXPECT_EQ(limits->bytes, 64U << 20U);
}

TEST(InlineLimits, MayBeChangedInBothDirections) {
  const auto higher = inline_limits({"REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES=5000",
                                     "REMOTE_SANDBOX_INLINE_SYNC_MAX_BYTES=1073741824"});
  ASSERT_TRUE(higher);
  EXPECT_EQ(higher->files, 5000U);
  EXPECT_EQ(higher->bytes, 1U << 30U);
  const auto lower =
      inline_limits({"YONDER_INLINE_SYNC_MAX_FILES=1", "REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES=9"});
  ASSERT_TRUE(lower);
  EXPECT_EQ(lower->files, 1U) << "our own name wins";
  const auto wrong = inline_limits({"REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES=ten"});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().code, Errc::Config);
}

TEST(InlineLimits, CountWhatIsToBeSent) {
  const InlineLimits limits;
  sync::Counts counts;
  counts.create_files = 150;
  counts.update_files = 50;
  counts.unchanged = 100000;
  counts.bytes = 64U << 20U;
  EXPECT_FALSE(is_too_large(counts, limits));
  ++counts.create_files;
  EXPECT_TRUE(is_too_large(counts, limits));
  counts = {};
  counts.bytes = (64U << 20U) + 1;
  EXPECT_TRUE(is_too_large(counts, limits));
}

TEST(SyncMeter, SaysHowFastAndHowLong) {
  SyncMeter meter;
  const Instant start{};
  sync::Progress at{.phase = sync::Phase::Copying,
                    .files_done = 0,
                    .files_total = 200,
                    .bytes_done = 0,
                    .bytes_total = 64U << 20U};
  EXPECT_FALSE(meter.read(at, start).left_s);
  at.files_done = 41;
  at.bytes_done = 16U << 20U;
  const auto read = meter.read(at, start + std::chrono::seconds(2));
  EXPECT_DOUBLE_EQ(read.bytes_per_s, 8.0 * (1U << 20U));
  EXPECT_DOUBLE_EQ(read.left_s.value_or(0), 6.0);
  EXPECT_EQ(sentence(read), "41 of 200 files, 16.0 MiB of 64.0 MiB, 8.0 MiB/s, 6 s left");
}

TEST(SyncMeter, BeginsAnewWithANewAttempt) {
  SyncMeter meter;
  const Instant start{};
  sync::Progress at{.phase = sync::Phase::Copying, .bytes_done = 1000, .bytes_total = 2000};
  meter.read(at, start);
  at.bytes_done = 100;
  EXPECT_EQ(meter.read(at, start + std::chrono::seconds(1)).bytes_per_s, 0);
}

}  // namespace
}  // namespace yonder::ops
