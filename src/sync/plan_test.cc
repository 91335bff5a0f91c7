#include "sync/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace yonder::sync {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tree::Entry;
using tree::Hash;
using tree::SkipReason;
using tree::Type;

constexpr std::int64_t kSecond = 1000000000;
constexpr std::int64_t kThen = 1000 * kSecond + 123456789;  // long ago
constexpr std::int64_t kNow = 2000000 * kSecond + 987654321;

Entry file(const std::string& path, std::uint64_t size = 1, std::int64_t mtime = kThen) {
  return {.path = path, .mode = 0644, .size = size, .mtime_ns = mtime};
}
Entry directory(const std::string& path, std::uint32_t mode = 0755, std::int64_t mtime = kThen) {
  return {.path = path, .type = Type::Directory, .mode = mode, .mtime_ns = mtime};
}
Entry link(const std::string& path, const std::string& target) {
  return {.path = path, .type = Type::Link, .mode = 0777, .mtime_ns = kThen, .target = target};
}
Entry twin(const std::string& path, std::uint64_t number, std::uint64_t size = 1) {
  Entry entry = file(path, size);
  entry.twins = number;
  return entry;
}

class PlanTest : public ::testing::Test {
 protected:
  Plan plan() {
    PlanInput input{.source = source_, .target = target_, .now_ns = kNow};
    input.keeps_attributes = keeps_attributes_;
    if (has_base_) input.base = &base_;
    input.rules = &rules_;
    input.ignored = &ignored_;
    input.hashes = hashes_;
    if (has_source_root_) input.source_root = input.target_root = RootLook{};
    return make_plan(input, options_);
  }
  // "put a", "remove d/x": what would be done, in order.
  std::vector<std::string> deeds() {
    std::vector<std::string> list;
    for (const Action& a : plan().actions) {
      static constexpr std::array<std::string_view, 6> kNames{"mkdir", "put",   "link",
                                                              "twin",  "chmod", "remove"};
      list.push_back(concat(kNames[static_cast<std::size_t>(a.act)], " ", a.path));
    }
    return list;
  }
  // As a sync that ended with these would have left it.
  void base_of(const std::vector<Entry>& entries, std::int64_t scanned = kNow) {
    has_base_ = true;
    base_ = {};
    base_.set_scanned_ns(scanned);
    for (const auto& entry : entries) {
      base_.note(entry.path, {tree::seen_as(entry), entry.mtime_ns, entry.mode});
    }
  }

  tree::Listing source_;
  tree::Listing target_;
  tree::RuleSet rules_;
  std::vector<tree::RuleSet> ignored_;
  BaseRecord base_;
  bool has_base_ = false;
  bool has_source_root_ = false;
  bool keeps_attributes_ = true;
  std::map<std::string, Hashes> hashes_;
  PlanOptions options_;
};

TEST_F(PlanTest, AttributesTheTargetLacksAreSetAndWhatItHasBesidesStays) {
  source_.entries = {file("a"), file("b"), directory("d")};
  target_.entries = source_.entries;
  base_of(target_.entries);
  target_.entries[0].attributes = {{"user.theirs", "1"}};
  target_.entries[2].attributes = {{"user.theirs", "1"}};
  EXPECT_TRUE(plan().empty());
  source_.entries[1].attributes = {{"user.a", "1"}};
  source_.entries[2].attributes = {{"user.a", "2"}};
  const Plan both = plan();
  ASSERT_EQ(both.actions.size(), 1U);
  EXPECT_EQ(both.actions[0].act, Act::SetAttributes);
  EXPECT_EQ(both.actions[0].attributes, source_.entries[1].attributes);
  ASSERT_EQ(both.directories.size(), 1U);
  EXPECT_EQ(both.directories[0].attributes, source_.entries[2].attributes);
  keeps_attributes_ = false;
  EXPECT_TRUE(plan().empty()) << "where they cannot be kept they are not tried again and again";
}

TEST_F(PlanTest, WhatIsCopiedWithoutItsAttributesIsMarked) {
  source_.entries = {file("a"), file("b"), file("c")};
  source_.entries[1].attributes = {{"user.a", "1"}};
  source_.entries[2].has_more = true;
  const auto marks = [&] {
    std::string text;
    for (const Action& action : plan().actions) text += action.loses_attributes ? "!" : ".";
    return text;
  };
  EXPECT_EQ(marks(), "..!");
  keeps_attributes_ = false;
  EXPECT_EQ(marks(), ".!!");
}

TEST_F(PlanTest, WhatIsTheSameIsLeftAlone) {
  source_.entries = {file("a"), directory("d"), link("l", "a")};
  target_.entries = source_.entries;
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(plan().counts.unchanged, 3U);
}

TEST_F(PlanTest, WhatIsMissingIsPutDirectoriesFirst) {
  source_.entries = {directory("d"), directory("d/e"), file("d/e/f"), link("l", "d")};
  EXPECT_THAT(deeds(), ElementsAre("mkdir d", "mkdir d/e", "put d/e/f", "link l"));
  EXPECT_EQ(plan().counts.create_files, 2U);
  EXPECT_EQ(plan().counts.create_directories, 2U);
  EXPECT_EQ(plan().counts.bytes, 1U);
}

TEST_F(PlanTest, DirectoriesGetModeAndTimeAtTheEndTheDeepestFirst) {
  source_.entries = {directory("d"), directory("d/e"), file("d/e/f"), directory("g")};
  target_.entries = {directory("d"), directory("d/e"), directory("g")};
  const Plan made = plan();
  ASSERT_EQ(made.directories.size(), 1U);  // g has not changed, nor has d
  EXPECT_EQ(made.directories[0].path, "d/e");
  base_of(target_.entries);
  source_.entries[0].mode = 0700;
  const Plan other = plan();
  ASSERT_EQ(other.directories.size(), 2U);
  EXPECT_EQ(other.directories[0].path, "d/e");
  EXPECT_EQ(other.directories[1].path, "d");
}

TEST_F(PlanTest, ADifferentSizeOrTimeIsADifference) {
  source_.entries = {file("a", 2), file("b", 1, kThen + kSecond), link("l", "x")};
  target_.entries = {file("a", 1), file("b", 1), link("l", "y")};
  EXPECT_THAT(deeds(), ElementsAre("put a", "put b", "link l"));
  EXPECT_EQ(plan().counts.update_files, 3U);
}

TEST_F(PlanTest, AModeAloneIsSetWithoutTheContents) {
  source_.entries = {file("a")};
  target_.entries = {file("a")};
  source_.entries[0].mode = 0755;
  EXPECT_THAT(deeds(), ElementsAre("chmod a"));
  EXPECT_EQ(plan().counts.bytes, 0U);
}

TEST_F(PlanTest, HashesDecideWhereTheyAreKnown) {
  source_.entries = {file("a"), file("b", 1, kThen + kSecond)};
  target_.entries = {file("a"), file("b")};
  source_.entries[0].hash = Hash{1, 1};
  target_.entries[0].hash = Hash{2, 2};
  source_.entries[1].hash = Hash{3, 3};
  target_.entries[1].hash = Hash{3, 3};
  EXPECT_THAT(deeds(), ElementsAre("put a", "chmod b"));
}

TEST_F(PlanTest, AFileChangedWithinTheTickOfTheLookIsAQuestion) {
  source_.entries = {file("a", 1, kNow - 5000001)};
  target_.entries = source_.entries;
  EXPECT_THAT(plan().questions, ElementsAre("a"));
  EXPECT_TRUE(plan().empty());
  hashes_["a"] = {Hash{1, 1}, Hash{1, 1}};
  EXPECT_TRUE(plan().empty());
  EXPECT_THAT(plan().questions, IsEmpty());
  hashes_["a"] = {Hash{1, 1}, Hash{2, 1}};
  EXPECT_THAT(deeds(), ElementsAre("put a"));
  hashes_["a"] = {Hash{1, 1}, std::nullopt};
  EXPECT_THAT(deeds(), ElementsAre("put a"));
}

TEST_F(PlanTest, ATimeOfWholeMillisecondsIsAQuestionForTwoSeconds) {
  source_.entries = {file("a", 1, (kNow / kSecond - 1) * kSecond)};
  target_.entries = source_.entries;
  EXPECT_THAT(plan().questions, ElementsAre("a"));
  source_.entries[0].mtime_ns -= 5 * kSecond;
  target_.entries = source_.entries;
  EXPECT_THAT(plan().questions, IsEmpty());
}

TEST_F(PlanTest, TheQuestionIsAboutTheLastLookWhereThereWasOne) {
  source_.entries = {file("a", 1, kThen)};
  target_.entries = source_.entries;
  base_of(target_.entries, kThen + 1000);
  EXPECT_THAT(plan().questions, ElementsAre("a"));
  base_of(target_.entries, kThen + kSecond);
  EXPECT_THAT(plan().questions, IsEmpty());
}

TEST_F(PlanTest, CoarseTimesOfOneSideAreTheSame) {
  for (const std::int64_t step : {100L, 1000L, 1000000L, kSecond, 2 * kSecond}) {
    source_.entries = {file("a", 1, kThen)};
    target_.entries = {file("a", 1, kThen / step * step)};
    EXPECT_TRUE(plan().empty()) << step;
    std::swap(source_.entries, target_.entries);
    EXPECT_TRUE(plan().empty()) << step;
  }
  source_.entries = {file("a", 1, -kThen)};
  target_.entries = {file("a", 1, (-kThen / kSecond - 1) * kSecond)};
  EXPECT_TRUE(plan().empty());
}

TEST_F(PlanTest, ExtrasStayUnlessTheyAreToBeDeleted) {
  source_.entries = {file("a")};
  target_.entries = {file("a"), directory("d"), file("d/x"), link("l", "a")};
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(plan().counts.extras, 3U);
  options_.delete_extras = true;
  EXPECT_THAT(deeds(), ElementsAre("remove l", "remove d/x", "remove d"));
  EXPECT_EQ(plan().counts.remove_files, 2U);
  EXPECT_EQ(plan().counts.remove_directories, 1U);
}

TEST_F(PlanTest, RemovalsComeAfterEverythingElse) {
  options_.delete_extras = true;
  source_.entries = {directory("b"), file("b/new")};
  target_.entries = {directory("a"), file("a/x"), directory("b"), file("b/old")};
  EXPECT_THAT(deeds(), ElementsAre("put b/new", "remove b/old", "remove a/x", "remove a"));
}

TEST_F(PlanTest, WhatTheSourceLeavesOutIsNeverDeleted) {
  options_.delete_extras = true;
  source_.entries = {file("a"), directory("closed"), directory("d")};
  source_.skips = {{"closed", SkipReason::Unreadable, "no", true},
                   {"excluded", SkipReason::Excluded, "rule", true},
                   {"pipe", SkipReason::Special, "a named pipe", false}};
  target_.entries = {file("a"),      directory("closed"),   file("closed/x"),
                     directory("d"), directory("excluded"), file("excluded/y"),
                     file("pipe")};
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.unreadable, 1U);
  EXPECT_EQ(plan().counts.excluded, 1U);
  EXPECT_EQ(plan().counts.special, 1U);
  EXPECT_EQ(plan().counts.extras, 4U);
}

TEST_F(PlanTest, AFileWhoseContentsCannotBeReadIsLeftOnlyWhereTheyAreNeeded) {
  options_.delete_extras = true;
  source_.entries = {file("changed", 5), file("new"), file("same")};
  for (const char* name : {"changed", "new", "same"}) {
    source_.skips.push_back({name, SkipReason::UnreadableContents, "Permission denied", false});
  }
  target_.entries = {file("changed", 4), file("same")};
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.unreadable, 2U);
  EXPECT_EQ(plan().counts.create_files + plan().counts.update_files, 0U);
  EXPECT_EQ(plan().counts.unchanged, 1U);
  EXPECT_EQ(plan().left.at(0).path, "changed");
  EXPECT_EQ(plan().left.at(0).why, Left::Unreadable);
}

TEST_F(PlanTest, WhatARuleExcludesIsNeverDeletedEvenIfTheSourceHasNothingOfThatName) {
  options_.delete_extras = true;
  ASSERT_TRUE(rules_.add("", "build/", {"excludes", 1}));
  source_.entries = {file("a")};
  target_.entries = {file("a"), directory("build"), file("build/x"), file("c")};
  EXPECT_THAT(deeds(), ElementsAre("remove c"));
}

TEST_F(PlanTest, WhatAGitignoreNamesIsNotRemovedNorTheDirectoriesAboveIt) {
  options_.delete_extras = true;
  ignored_.resize(2);
  ASSERT_TRUE(ignored_[0].add_file("", "*.log\n", ".gitignore"));
  ASSERT_TRUE(ignored_[1].add_file("d", "/results\n", "d/.gitignore"));
  source_.entries = {file("a")};
  target_.entries = {file("a"),   directory("d"), directory("d/results"), file("d/results/x"),
                     file("d/y"), file("e"),      directory("f"),         file("f/1.log")};
  EXPECT_THAT(deeds(), ElementsAre("remove e", "remove d/y"));
  EXPECT_EQ(plan().counts.ignored, 3U);
  EXPECT_EQ(plan().counts.extras, 5U);
}

TEST_F(PlanTest, WhatIsMissingBecauseAFileSystemIsNotMountedIsNotRemoved) {
  options_.delete_extras = true;
  has_source_root_ = true;
  source_.entries = {file("a"), directory("data"), directory("other")};
  target_.entries = {file("a"), directory("data"), file("data/x"), directory("other"),
                     file("other/y")};
  base_of(target_.entries);
  base_.set_mounts({"data", "other"});
  source_.mounts = {"other"};
  EXPECT_THAT(deeds(), ElementsAre("remove other/y"));
  EXPECT_THAT(plan().unmounted, ElementsAre("data"));
  base_.set_mounts({""});
  EXPECT_THAT(deeds(), IsEmpty()) << "the root itself";
  source_.mounts = {""};
  EXPECT_THAT(deeds(), ElementsAre("remove other/y", "remove data/x"));
}

TEST_F(PlanTest, AFileSystemThatIsMountedInTheTargetOnlyIsNotEmptied) {
  options_.delete_extras = true;
  source_.entries = {file("a"), directory("both")};
  target_.entries = {file("a"),          directory("both"), file("both/x"), directory("m"),
                     file("m/x"),        directory("m/in"), file("m/in/y"), directory("m2"),
                     directory("m2/in"), file("m2/in/y"),   file("m2/z")};
  target_.mounts = {"both", "m", "m/in", "m2/in"};
  EXPECT_THAT(deeds(), ElementsAre("remove m2/z", "remove both/x"));
  EXPECT_EQ(plan().counts.special, 2U);
}

TEST_F(PlanTest, ADirectoryInThePlaceOfAFileIsInTheWayAndStaysWhole) {
  options_.delete_extras = true;
  source_.entries = {file("x"), file("x.y")};
  target_.entries = {directory("x"), file("x/a"), directory("x/b"), file("x/b/c"), file("x.y")};
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.in_the_way, 1U);
}

TEST_F(PlanTest, AFileInThePlaceOfADirectoryIsInTheWayOfAllThatIsInIt) {
  source_.entries = {directory("x"), file("x/a"), directory("x/b"), file("x/b/c"), file("x.y")};
  target_.entries = {file("x")};
  EXPECT_THAT(deeds(), ElementsAre("put x.y"));
  EXPECT_EQ(plan().counts.in_the_way, 4U);
  EXPECT_THAT(plan().directories, IsEmpty());
}

TEST_F(PlanTest, SomethingSpecialInTheTargetIsInTheWay) {
  source_.entries = {directory("d"), file("d/a"), file("f")};
  target_.skips = {{"d", SkipReason::Special, "a socket", false},
                   {"f", SkipReason::Special, "a named pipe", false}};
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.in_the_way, 3U);
  EXPECT_THAT(plan().left[2].detail, HasSubstr("a named pipe"));
}

TEST_F(PlanTest, ALinkAndAFileReplaceEachOther) {
  source_.entries = {file("a"), link("b", "a")};
  target_.entries = {link("a", "b"), file("b")};
  EXPECT_THAT(deeds(), ElementsAre("put a", "link b"));
  EXPECT_EQ(plan().actions[0].target.type, Type::Link);
}

class ConflictTest : public PlanTest {
 protected:
  ConflictTest() {
    source_.entries = {file("a", 2)};
    target_.entries = {file("a", 3, kThen + kSecond)};
    base_of({file("a", 1)});
  }
};

TEST_F(ConflictTest, ChangedOnBothSidesIsLeft) {
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.conflicts, 1U);
  EXPECT_EQ(plan().left[0].why, Left::Conflict);
}

TEST_F(ConflictTest, ChangedOnlyInTheSourceIsNone) {
  target_.entries = {file("a", 1)};
  EXPECT_THAT(deeds(), ElementsAre("put a"));
}

TEST_F(ConflictTest, WithoutALastSyncTheNewerOneIsLeft) {
  has_base_ = false;
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.conflicts, 1U);
  EXPECT_THAT(plan().left[0].detail, HasSubstr("no earlier sync is known"));
  EXPECT_TRUE(plan().without_record);
  options_.on_conflict = OnConflict::TakeSource;
  EXPECT_THAT(deeds(), ElementsAre("put a"));
}

TEST_F(ConflictTest, WithoutALastSyncTheOlderOneIsReplaced) {
  has_base_ = false;
  target_.entries = {file("a", 3, kThen - kSecond)};
  EXPECT_THAT(deeds(), ElementsAre("put a"));
  EXPECT_TRUE(plan().without_record);
}

TEST_F(ConflictTest, WithoutALastSyncContentsDecideWhetherTheNewerOneDiffers) {
  has_base_ = false;
  target_.entries = {file("a", 2, kThen + kSecond)};
  EXPECT_THAT(plan().questions, ElementsAre("a"));
  EXPECT_EQ(plan().counts.conflicts, 0U);
  hashes_["a"] = {Hash{1, 1}, Hash{1, 1}};
  EXPECT_THAT(deeds(), ElementsAre("chmod a"));
  EXPECT_FALSE(plan().without_record);
  hashes_["a"] = {Hash{1, 1}, Hash{2, 2}};
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.conflicts, 1U);
}

TEST_F(ConflictTest, AFirstSyncOfWhatIsTheSameAsksNothing) {
  has_base_ = false;
  target_.entries = source_.entries;
  EXPECT_THAT(plan().questions, IsEmpty());
  EXPECT_FALSE(plan().without_record);
}

TEST_F(ConflictTest, ChangedOnBothSidesToTheSameIsNone) {
  target_.entries = source_.entries;
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(plan().counts.conflicts, 0U);
}

TEST_F(ConflictTest, WhatASyncThatWasCutOffHasSentIsNone) {
  base_.note_sent("a", tree::seen_as(target_.entries[0]));
  EXPECT_THAT(deeds(), ElementsAre("put a"));
}

TEST_F(ConflictTest, NewOnBothSidesIsLeft) {
  base_of({});
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.conflicts, 1U);
}

TEST_F(ConflictTest, RemovedThereIsPutAgain) {
  target_.entries = {};
  EXPECT_THAT(deeds(), ElementsAre("put a"));
  EXPECT_EQ(plan().counts.conflicts, 0U);
}

TEST_F(ConflictTest, TheChoiceDecides) {
  options_.on_conflict = OnConflict::KeepTarget;
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.conflicts, 0U);
  EXPECT_EQ(plan().counts.kept, 1U);
  EXPECT_EQ(plan().left[0].why, Left::Kept);
  options_.on_conflict = OnConflict::TakeSource;
  EXPECT_THAT(deeds(), ElementsAre("put a"));
  EXPECT_EQ(plan().counts.conflicts, 0U);
  EXPECT_TRUE(plan().actions[0].overrules);
  options_.on_conflict = OnConflict::Both;
  options_.conflict_ending = ".theirs";
  EXPECT_THAT(deeds(), ElementsAre("put a"));
  EXPECT_EQ(plan().actions[0].set_aside, "a.theirs");
}

TEST_F(ConflictTest, AnExtraThatWasChangedThereIsNotRemoved) {
  options_.delete_extras = true;
  source_.entries = {file("b")};
  target_.entries = {file("a", 3), file("b")};
  base_of({file("a", 1), file("b")});
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.conflicts, 1U);
  options_.on_conflict = OnConflict::Both;
  EXPECT_THAT(deeds(), IsEmpty());
  EXPECT_EQ(plan().counts.kept, 1U);
  options_.on_conflict = OnConflict::TakeSource;
  EXPECT_THAT(deeds(), ElementsAre("remove a"));
}

TEST_F(ConflictTest, ContentsDecideWhetherAFileOfTheSameSizeIsOne) {
  target_.entries = {file("a", 2, kThen + kSecond)};
  for (const auto choice : {OnConflict::Stop, OnConflict::KeepTarget, OnConflict::Both}) {
    options_.on_conflict = choice;
    hashes_.clear();
    EXPECT_THAT(plan().questions, ElementsAre("a"));
    EXPECT_EQ(plan().counts.conflicts, 0U);
    hashes_["a"] = {Hash{1, 1}, Hash{1, 1}};
    EXPECT_THAT(deeds(), ElementsAre("chmod a"));
    EXPECT_EQ(plan().counts.conflicts + plan().counts.kept, 0U);
  }
  options_.on_conflict = OnConflict::Stop;
  hashes_["a"] = {Hash{1, 1}, Hash{2, 2}};
  EXPECT_EQ(plan().counts.conflicts, 1U);
  hashes_.clear();
  options_.on_conflict = OnConflict::TakeSource;
  EXPECT_THAT(deeds(), ElementsAre("put a")) << "it is replaced whatever it holds";
}

class ModesTest : public PlanTest {
 protected:
  ModesTest() {
    source_.entries = {directory("d"), file("f")};
    target_.entries = source_.entries;
    base_of(target_.entries);
  }
  void set(tree::Listing& end, std::uint32_t of_directory, std::uint32_t of_file) {
    end.entries[0].mode = of_directory;
    end.entries[1].mode = of_file;
  }
};

TEST_F(ModesTest, OfADirectoryThatNoSyncHasMadeIsLeft) {
  for (const bool record : {false, true}) {
    base_of({file("f")});
    has_base_ = record;
    set(source_, 0700, 0644);
    set(target_, 0775, 0644);
    source_.entries = {directory("d", 0700), file("d/new"), file("f")};
    EXPECT_THAT(deeds(), ElementsAre("put d/new"));
    EXPECT_EQ(plan().counts.update_attributes, 0U);
    ASSERT_EQ(plan().directories.size(), 1U) << "its time is set";
    EXPECT_TRUE(plan().directories[0].keeps_mode);
    EXPECT_EQ(plan().directories[0].mode, 0775U);
    EXPECT_FALSE(plan().directories[0].changes_mode);
  }
}

TEST_F(ModesTest, ChangedInTheSourceOnlyIsSetAndCounted) {
  set(source_, 0700, 0600);
  EXPECT_THAT(deeds(), ElementsAre("chmod f"));
  ASSERT_EQ(plan().directories.size(), 1U);
  EXPECT_TRUE(plan().directories[0].changes_mode);
  EXPECT_EQ(plan().directories[0].mode, 0700U);
  EXPECT_EQ(plan().counts.update_attributes, 2U);
  EXPECT_EQ(plan().counts.unchanged, 0U);
}

TEST_F(ModesTest, ChangedInTheTargetOnlyIsKept) {
  set(target_, 0775, 0755);
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(plan().counts.unchanged, 2U);
  source_.entries[1] = file("f", 9, kThen + kSecond);
  EXPECT_THAT(deeds(), ElementsAre("put f"));
  EXPECT_EQ(plan().actions[0].mode, 0755U);
  EXPECT_TRUE(plan().actions[0].keeps_mode);
  options_.on_conflict = OnConflict::TakeSource;
  EXPECT_EQ(plan().actions[0].mode, 0644U);
  EXPECT_TRUE(plan().actions[0].overrules);
  EXPECT_EQ(plan().directories[0].mode, 0755U);
  EXPECT_TRUE(plan().directories[0].changes_mode);
}

TEST_F(ModesTest, ChangedAtBothEndsToTheSameIsNone) {
  set(target_, 0775, 0755);
  set(source_, 0775, 0755);
  EXPECT_TRUE(plan().empty());
}

TEST_F(ModesTest, ChangedAtBothEndsToOthersIsAConflict) {
  set(source_, 0700, 0600);
  set(target_, 0775, 0755);
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(plan().counts.conflicts, 2U);
  EXPECT_THAT(plan().left[0].detail, HasSubstr("mode was changed at both ends"));
  source_.entries[1] = file("f", 9, kThen + kSecond);
  source_.entries[1].mode = 0600;
  EXPECT_EQ(plan().counts.conflicts, 2U) << "whatever else was changed";
  options_.on_conflict = OnConflict::KeepTarget;
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(plan().counts.kept, 2U);
  options_.on_conflict = OnConflict::Both;
  options_.conflict_ending = ".theirs";
  EXPECT_EQ(plan().actions.at(0).set_aside, "f.theirs");
  EXPECT_EQ(plan().counts.kept, 1U);
}

TEST_F(ModesTest, GivenByASyncThatWasCutOffAreNoChangeOfOthers) {
  set(source_, 0700, 0600);
  set(target_, 0775, 0755);
  base_.note_sent("d", {tree::seen_as(target_.entries[0]), 0, 0775});
  base_.note_sent("f", {tree::seen_as(target_.entries[1]), kThen, 0755});
  EXPECT_THAT(deeds(), ElementsAre("chmod f"));
  EXPECT_EQ(plan().directories.size(), 1U);
  EXPECT_EQ(plan().counts.conflicts, 0U);
}

TEST_F(ModesTest, OfFilesAreTheSourcesWhereNothingIsKnown) {
  has_base_ = false;
  set(source_, 0755, 0600);
  set(target_, 0755, 0755);
  EXPECT_THAT(deeds(), ElementsAre("chmod f"));
}

TEST_F(PlanTest, HardLinksAreMadeAgainOnlyWhenAskedFor) {
  source_.entries = {twin("a", 1), twin("b", 1), twin("c", 2)};
  EXPECT_THAT(deeds(), ElementsAre("put a", "put b", "put c"));
  options_.twins = true;
  EXPECT_THAT(deeds(), ElementsAre("put a", "twin b", "put c"));
  EXPECT_EQ(plan().actions[1].twin_of, "a");
  EXPECT_EQ(plan().actions[1].twin_action, 0U);
}

TEST_F(PlanTest, AChangedHardLinkIsSentOnce) {
  options_.twins = true;
  source_.entries = {twin("a", 1, 2), twin("b", 1, 2)};
  target_.entries = {file("a"), file("b")};
  EXPECT_THAT(deeds(), ElementsAre("put a", "twin b"));
}

TEST_F(PlanTest, ANewNameOfAnUnchangedFileIsAHardLink) {
  options_.twins = true;
  source_.entries = {twin("a", 1), twin("b", 1)};
  target_.entries = {file("a")};
  EXPECT_THAT(deeds(), ElementsAre("twin b"));
  EXPECT_EQ(plan().actions[0].twin_action, std::nullopt);
}

TEST_F(PlanTest, ANewModeOfAHardLinkIsSetOnce) {
  options_.twins = true;
  source_.entries = {twin("a", 1), twin("b", 1)};
  target_.entries = {file("a"), file("b")};
  for (Entry& entry : source_.entries) entry.mode = 0700;
  EXPECT_THAT(deeds(), ElementsAre("chmod a", "twin b"));
}

TEST_F(PlanTest, AFileThatStaysAsAConflictIsNobodysHardLink) {
  options_.twins = true;
  source_.entries = {twin("a", 1, 2), twin("b", 1, 2), twin("c", 1, 2)};
  target_.entries = {file("a", 3)};
  base_of({file("a", 1)});
  EXPECT_THAT(deeds(), ElementsAre("put b", "twin c"));
}

class GuardTest : public ::testing::Test {
 protected:
  GuardTest() { options_.delete_extras = true; }
  std::string refusal() {
    const auto checked = check_removals(plan_, options_, guard_);
    return checked ? "" : checked.error().message;
  }
  Plan plan_;
  PlanOptions options_;
  DeleteGuard guard_{.target_path = "/home/me/project",
                     .source_entries = 10,
                     .target_entries = 100,
                     .has_record = true,
                     .keeps_removed = true};
};

TEST_F(GuardTest, LetsFewRemovalsPass) {
  plan_.counts.remove_files = 20;
  guard_.target_entries = 20;
  EXPECT_EQ(refusal(), "");
}

TEST_F(GuardTest, RefusesHomeAndRootEvenWithoutRemovals) {
  guard_.target_holds = "/home/me";
  EXPECT_THAT(refusal(), HasSubstr("is or holds /home/me"));
  guard_.target_holds = "";
  guard_.target_path = "/";
  EXPECT_THAT(refusal(), HasSubstr("root"));
  options_.delete_extras = false;
  EXPECT_EQ(refusal(), "");
}

TEST_F(GuardTest, RefusesAnEmptyOrMissingSource) {
  guard_.source_entries = 0;
  EXPECT_THAT(refusal(), HasSubstr("empty"));
  guard_.source_exists = false;
  EXPECT_THAT(refusal(), HasSubstr("does not exist"));
}

TEST_F(GuardTest, SaysThatTheRulesAndNotTheSourceAreToBlame) {
  guard_.source_entries = 0;
  guard_.source_left_out = 3;
  EXPECT_THAT(refusal(), HasSubstr("the rules leave out everything"));
}

TEST_F(GuardTest, HasNothingAgainstASingleFile) {
  guard_.single_file = true;
  guard_.target_holds = "/home/me";
  EXPECT_EQ(refusal(), "");
}

TEST_F(GuardTest, WantsANumberForMostOfTheTarget) {
  plan_.counts.remove_files = 49;
  EXPECT_EQ(refusal(), "");
  plan_.counts.remove_directories = 1;
  EXPECT_THAT(refusal(), HasSubstr("50 of 100"));
  options_.confirm_delete = 49;
  EXPECT_THAT(refusal(), HasSubstr("confirm_delete is 49"));
  options_.confirm_delete = 50;
  EXPECT_EQ(refusal(), "");
}

TEST_F(GuardTest, WantsANumberForEveryRemovalWithoutARecordOrATrash) {
  plan_.counts.remove_files = 1;
  EXPECT_EQ(refusal(), "");
  guard_.has_record = false;
  EXPECT_THAT(refusal(), HasSubstr("no earlier sync"));
  guard_.has_record = true;
  guard_.keeps_removed = false;
  EXPECT_THAT(refusal(), HasSubstr("for good"));
  options_.confirm_delete = 1;
  EXPECT_EQ(refusal(), "");
  options_.confirm_delete.reset();
  plan_.counts.remove_files = 0;
  EXPECT_EQ(refusal(), "");
}

TEST_F(GuardTest, HoldsAGivenNumberAgainstFewRemovalsToo) {
  plan_.counts.remove_files = 2;
  options_.confirm_delete = 3;
  EXPECT_NE(refusal(), "");
}

}  // namespace
}  // namespace yonder::sync
