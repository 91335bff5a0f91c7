#include "sync/base_record.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "base/scratch_test.h"
#include "base/text.h"

namespace yonder::sync {
namespace {

using tree::Seen;
using tree::Type;

constexpr std::int64_t kSecond = 1000000000;

Seen file(std::uint64_t size, std::int64_t mtime = 5) {
  return {.exists = true, .type = Type::File, .size = size, .mtime_ns = mtime};
}

BaseRecord sample() {
  BaseRecord record;
  record.set_scanned_ns(-77);
  record.note("a", {file(1), 3, 0640, tree::Hash{.low = 7, .high = UINT64_MAX}});
  record.set_mounts({"", "d"});
  record.note("d/\xff\n", Seen{.exists = true, .type = Type::Link, .mtime_ns = -4});
  return record;
}

TEST(BaseRecord, IsTheSameAfterPacking) {
  const auto again = BaseRecord::unpack(sample().pack());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->scanned_ns(), -77);
  EXPECT_EQ(again->entries(), sample().entries());
  EXPECT_EQ(again->size(), 2U);
  EXPECT_EQ(again->mounts(), (std::vector<std::string>{"", "d"}));
  EXPECT_EQ(again->below("d/")->mounts(), (std::vector<std::string>{""}));
}

TEST(BaseRecord, KnowsWhatWasReadEarlierAlsoAfterPacking) {
  BaseRecord record;
  record.set_scanned_ns(9 * kSecond);
  record.note("a", file(1, 4 * kSecond));
  record.note("b", file(1, 4 * kSecond));
  record.note("old", file(1, kSecond));
  record.read_earlier("a", 5 * kSecond);
  record.read_earlier("old", 5 * kSecond);
  const auto again = BaseRecord::unpack(record.pack());
  ASSERT_TRUE(again);
  EXPECT_EQ(again->scanned_ns("a"), 5 * kSecond);
  EXPECT_EQ(again->scanned_ns("b"), 9 * kSecond);
  EXPECT_EQ(again->scanned_ns("old"), 9 * kSecond) << "its time tells enough";
  record.note("a", file(1, 4 * kSecond));
  EXPECT_EQ(record.scanned_ns("a"), 9 * kSecond) << "now it was read";
}

TEST(BaseRecord, OfTheFirstFormatIsUnderstood) {
  tree::Packer out;
  out.integer(7).text("a");
  tree::pack(out, file(3));
  const auto record = BaseRecord::unpack("yonder base 1\n" + out.take());
  ASSERT_TRUE(record);
  EXPECT_EQ(record->scanned_ns("a"), 7);
  EXPECT_TRUE(record->knows("a", file(3)));
}

TEST(BaseRecord, OfTheThirdFormatIsUnderstoodAndKnowsNoModes) {
  tree::Packer out;
  out.integer(7).number(1).text("m").number(0).text("a");
  tree::pack(out, file(3));
  out.integer(2);
  const auto record = BaseRecord::unpack("yonder base 3\n" + out.take());
  ASSERT_TRUE(record);
  EXPECT_TRUE(record->knows("a", file(3)));
  EXPECT_EQ(record->find("a")->source_ns, 3);
  EXPECT_EQ(record->mode_of("a", Type::File), std::nullopt);
}

TEST(BaseRecord, OfTheFourthFormatIsUnderstoodAndKnowsNoContents) {
  const auto record =
      BaseRecord::unpack(std::string_view("yonder base 4\n\x0e\x01\x01m\x00\x01"
                                          "a\x01\xac\x02\x0a\x04\xa5\x03",
                                          28));
  ASSERT_TRUE(record);
  EXPECT_EQ(record->mode_of("a", Type::File), 0644U);
  EXPECT_FALSE(record->may_be_touched("a", file(300, 9)));
}

TEST(BaseRecord, KnowsAFileByItsContentsWhateverItsTime) {
  const tree::Hash hash{.low = 1, .high = 2};
  BaseRecord record;
  record.note("a", {file(3), 5, 0644, hash});
  EXPECT_TRUE(record.may_be_touched("a", file(3, 9)));
  EXPECT_FALSE(record.may_be_touched("a", file(4, 9)));
  EXPECT_TRUE(record.has_contents("a", file(3, 9), hash));
  EXPECT_FALSE(record.has_contents("a", file(3, 9), {.low = 1, .high = 3}));
  BaseRecord part;
  part.also(record);
  EXPECT_TRUE(part.has_contents("a", file(3, 9), hash));
}

TEST(BaseRecord, KnowsWhoseAttributesBothEndsHaveByTheTimeOfTheirLastChange) {
  BaseRecord record;
  Known known(file(3));
  known.changed_ns = 7;
  record.note("a", known);
  record.note("b", file(3));
  EXPECT_TRUE(record.has_attributes_of("a", 7));
  EXPECT_FALSE(record.has_attributes_of("a", 8));
  EXPECT_FALSE(record.has_attributes_of("b", 0)) << "which is no time";
  EXPECT_FALSE(record.knows_attributes()) << "of most";
  Known directory(Seen{.exists = true, .type = Type::Directory});
  directory.changed_ns = 9;
  record.note("d", directory);
  EXPECT_TRUE(record.knows_attributes());
  const auto again = BaseRecord::unpack(record.pack());
  ASSERT_TRUE(again);
  EXPECT_TRUE(again->has_attributes_of("a", 7));
  EXPECT_TRUE(again->has_attributes_of("d", 9));
}

TEST(BaseRecord, IsWrittenAsItAlwaysWas) {
  BaseRecord record;
  record.set_scanned_ns(7);
  record.set_mounts({"m"});
  record.note("a", {file(300), 3, 0644, tree::Hash{.low = 300, .high = 1}});
  EXPECT_EQ(record.pack(), std::string("yonder base 5\n\x0e\x01\x01m\x00\x01"
                                       "a\x01\xac\x02\x0a\x04\xa5\x03\x00\x01\xac\x02\x01",
                                       33));
}

TEST(BaseRecord, KnowsTheModesOfTheLatestSync) {
  BaseRecord whole;
  whole.set_scanned_ns(5);
  whole.note("a", {file(1), 5, 0644});
  whole.note_sent("a", {file(1), 5, 0600});
  BaseRecord own;
  own.set_scanned_ns(3);
  own.note("a", {file(1), 5, 0755});
  EXPECT_EQ(own.mode_of("a", Type::File), 0755U);
  EXPECT_EQ(own.mode_of("a", Type::Directory), std::nullopt);
  own.also(whole);
  EXPECT_EQ(own.mode_of("a", Type::File), 0644U);
  EXPECT_TRUE(own.may_have_given("a", 0600));
  EXPECT_FALSE(own.may_have_given("a", 0644));
  own.set_scanned_ns(9);
  EXPECT_EQ(own.mode_of("a", Type::File), 0755U);
}

TEST(BaseRecord, GarbledBytesAreNoneOrARecordButNoCrash) {
  std::mt19937 random(1);
  const std::string packed = sample().pack();
  for (std::size_t size = 0; size < packed.size(); ++size) {
    (void)BaseRecord::unpack(packed.substr(0, size));
  }
  for (int i = 0; i < 5000; ++i) {
    std::string bytes = packed;
    bytes[random() % bytes.size()] = static_cast<char>(random());
    (void)BaseRecord::unpack(bytes);
  }
}

TEST(BaseRecord, ASeenOfAnUnknownKindIsNone) {
  tree::Packer out;
  out.integer(0).text("a").number(9).number(1).integer(1);
  EXPECT_FALSE(BaseRecord::unpack("yonder base 1\n" + out.take()));
}

class BaseStoreTest : public ::testing::Test {
 protected:
  testing::Scratch scratch_;
  BaseStore store_{scratch_ / "syncs"};
  Pair pair_{.machine = "m", .local_root = "/l", .remote_root = "/r"};
};

TEST_F(BaseStoreTest, KnowsWhatWasSentSinceTheLastSync) {
  ASSERT_TRUE(store_.save(pair_, sample()));
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("a", file(2))));
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("a", file(3))));
  const auto loaded = store_.load(pair_);
  ASSERT_TRUE(loaded);
  for (const std::uint64_t size : {1U, 2U, 3U}) EXPECT_TRUE(loaded->knows("a", file(size)));
  EXPECT_FALSE(loaded->knows("a", file(4)));
  EXPECT_FALSE(loaded->knows("b", file(1)));
  ASSERT_TRUE(store_.save(pair_, sample()));
  EXPECT_FALSE(store_.load(pair_)->knows("a", file(2)));
}

TEST_F(BaseStoreTest, KeepsOfWhatWasSentWhatTheRecordStillHas) {
  BaseRecord record = sample();
  record.note_sent("b", file(2));
  ASSERT_TRUE(store_.save(pair_, record));
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("c", file(3))));
  const auto loaded = store_.load(pair_);
  EXPECT_TRUE(loaded->knows("b", file(2)));
  EXPECT_TRUE(loaded->knows("c", file(3)));
  record.forget_sent("b");
  ASSERT_TRUE(store_.save(pair_, record));
  EXPECT_FALSE(store_.load(pair_)->knows("b", file(2)));
  EXPECT_FALSE(store_.load(pair_)->knows("c", file(3)));
}

TEST_F(BaseStoreTest, KnowsTheModesThatWereSentAndTheDirectoriesThatWereBegun) {
  const Seen directory{.exists = true, .type = Type::Directory};
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("a", {file(2), 5, 0600}) +
                                             pack_intent("d", {directory, 0, 0750}) +
                                             pack_intent("b", file(3))));
  EXPECT_EQ(store_.begun_directories(pair_), (std::set<std::string, std::less<>>{"d"}));
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("c", {file(4), 5, 01777})));
  BaseRecord record;
  record.note_sent("e", {file(4), 5, 0400});
  ASSERT_TRUE(store_.save({"x", "/l", "/r"}, record));
  EXPECT_TRUE(store_.load({"x", "/l", "/r"})->may_have_given("e", 0400));
}

TEST_F(BaseStoreTest, AnIntentThatWasCutOffDoesNoHarm) {
  ASSERT_TRUE(store_.save(pair_, sample()));
  const std::string last = pack_intent("a", file(3));
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("a", file(2)) + last.substr(0, 3)));
  EXPECT_TRUE(store_.load(pair_)->knows("a", file(2)));
  EXPECT_FALSE(store_.load(pair_)->knows("a", file(3)));
}

TEST_F(BaseStoreTest, EachPairHasItsOwn) {
  ASSERT_TRUE(store_.save(pair_, sample()));
  for (const Pair& other :
       {Pair{"n", "/l", "/r", true}, Pair{"m", "/l/r", "", true}, Pair{"m", "/l", "/r", false}}) {
    EXPECT_FALSE(store_.load(other));
  }
}

TEST(BaseAncestors, AreThoseThatHoldBothTreesAtTheSamePlace) {
  const auto shown = [](const Pair& pair, bool single = false) {
    std::string text;
    for (const auto& [above, prefix] : ancestors_of(pair, single)) {
      text += concat(above.local_root, " ", above.remote_root, " '", prefix, "'; ");
    }
    return text;
  };
  EXPECT_EQ(shown({"m", "/l/d/sub", "/r/d/sub"}), "/l/d /r/d 'sub/'; /l /r 'd/sub/'; ");
  EXPECT_EQ(shown({"m", "/l/d/f", "/r/d/f"}, true), "/l/d /r/d ''; /l /r 'd/'; ");
  EXPECT_EQ(shown({"m", "/l/d", "/r/e"}), "");
  EXPECT_EQ(shown({"m", "/d", "/d"}), "/ / 'd/'; ");
  EXPECT_EQ(shown({"m", "/", "/"}), "");
}

TEST_F(BaseStoreTest, KnowsOfAPartWhatIsKnownOfTheWhole) {
  const Pair part{.machine = "m", .local_root = "/l/d", .remote_root = "/r/d"};
  const auto ancestors = ancestors_of(part, false);
  EXPECT_FALSE(store_.load(part, ancestors));
  BaseRecord whole = sample();
  whole.note("d", Seen{.exists = true, .type = Type::Directory});
  whole.note("d/x", file(7));
  ASSERT_TRUE(store_.save(pair_, whole));
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("d/y", file(8))));
  const auto loaded = store_.load(part, ancestors);
  ASSERT_TRUE(loaded);
  EXPECT_TRUE(loaded->knows("x", file(7)));
  EXPECT_FALSE(loaded->knows("x", file(8)));
  EXPECT_TRUE(loaded->knows("y", file(8)));
  EXPECT_EQ(loaded->find("a"), nullptr);
  EXPECT_EQ(loaded->scanned_ns("x"), -77);
  EXPECT_EQ(loaded->scanned_ns("none"), std::nullopt);
  // Its own record is another opinion.
  BaseRecord own;
  own.set_scanned_ns(5);
  own.note("x", file(9));
  ASSERT_TRUE(store_.save(part, own));
  const auto both = store_.load(part, ancestors);
  EXPECT_TRUE(both->knows("x", file(7)));
  EXPECT_TRUE(both->knows("x", file(9)));
  EXPECT_EQ(both->find("x")->seen.size, 9U);
  EXPECT_EQ(both->scanned_ns("x"), 5);
}

TEST_F(BaseStoreTest, KnowsNothingOfAPartThatTheWholeDidNotHave) {
  const Pair part{.machine = "m", .local_root = "/l/e", .remote_root = "/r/e"};
  ASSERT_TRUE(store_.save(pair_, sample()));
  EXPECT_FALSE(store_.load(part, ancestors_of(part, false)));
}

TEST_F(BaseStoreTest, WithoutALastSyncThereIsNothingEvenIfSomethingWasSent) {
  ASSERT_TRUE(store_.note_intents(pair_, pack_intent("a", file(2))));
  EXPECT_FALSE(store_.load(pair_));
}

}  // namespace
}  // namespace yonder::sync
