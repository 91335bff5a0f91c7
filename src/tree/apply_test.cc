#include "tree/apply.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/refused_calls_test.h"
#include "base/scratch_test.h"
#include "tree/part.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ApplyTest : public ::testing::Test {
 protected:
  ApplyTest() {
    fs::create_directory(scratch_ / "root");
    fs::create_directory(scratch_ / "outside");
    root_ = Fd(::open(path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    begin({});
  }
  void begin(ApplyOptions options) {
    applier_ =
        std::make_unique<Applier>(root_.get(), path(), TrashPlace{scratch_ / "state"}, options);
  }
  std::string path(const std::string& name = "") const {
    return scratch_ / (name.empty() ? "root" : "root/" + name);
  }
  std::string read(const std::string& name) const { return scratch_.read("root/" + name); }
  void write(const std::string& name, const std::string& content) const {
    scratch_.write("root/" + name, content);
  }
  // As it is now.
  Seen seen(const std::string& name) const {
    const auto entry = list_one(root_.get(), name, {});
    return entry ? seen_as(*entry) : Seen{};
  }
  Result<void> put(const FileHead& head, const std::string& content) {
    TRY_ASSIGN(IncomingFile file, applier_->begin_file(head));
    TRY(file.write(content));
    return file.finish(hash_of_bytes(content));
  }
  FileHead head(const std::string& name, std::size_t size) const {
    return {
        .path = name, .mode = 0640, .mtime_ns = -1500000001, .size = size, .expected = seen(name)};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const auto& item : fs::recursive_directory_iterator(path())) {
      all.push_back(item.path().lexically_relative(path()).string());
    }
    std::sort(all.begin(), all.end());
    return all;
  }
  std::vector<std::string> trashed() const {
    const auto batches = list_trash({scratch_ / "state"});
    if (!batches || batches->empty()) return {};
    return *list_batch(batches->front(), 100);
  }

  testing::Scratch scratch_;
  Fd root_;
  std::unique_ptr<Applier> applier_;
};

TEST_F(ApplyTest, AFileAppearsWholeWithModeAndTime) {
  ASSERT_TRUE(put(head("d/a", 5), "hello"));
  EXPECT_EQ(read("d/a"), "hello");
  EXPECT_EQ(testing::mode_of(path("d/a")), 0640U);
  EXPECT_EQ(seen("d/a").mtime_ns, -1500000001);
  EXPECT_THAT(names(), ElementsAre("d", "d/a"));
}

TEST_F(ApplyTest, AFileThatComesAsAWholeAfterAllLeavesNoPart) {
  const std::string content(2UL * 1024 * 1024, 'x');
  const FileHead whole = head("a", content.size());
  { ASSERT_TRUE(PartFile::open(*applier_, whole)); }
  ASSERT_EQ(names().size(), 2U);
  ASSERT_TRUE(put(whole, content));
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(ApplyTest, APartThatAnotherSyncWorksOnStays) {
  const std::string content(2UL * 1024 * 1024, 'x');
  const FileHead whole = head("a", content.size());
  const auto part = PartFile::open(*applier_, whole);
  ASSERT_TRUE(part);
  ASSERT_TRUE(put(whole, content));
  EXPECT_EQ(names().size(), 3U);
}

TEST_F(ApplyTest, AFileThatIsNotAsAnnouncedLeavesNothing) {
  for (const std::string content : {"hell", "hello!", "HELLO"}) {
    const auto one = [&]() -> Result<void> {
      TRY_ASSIGN(IncomingFile file, applier_->begin_file(head("a", 5)));
      TRY(file.write(content));
      return file.finish(hash_of_bytes("hello"));
    };
    EXPECT_FALSE(one()) << content;
    EXPECT_THAT(names(), IsEmpty());
  }
  EXPECT_TRUE(applier_->begin_file(head("a", 5)));  // and is given up
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(ApplyTest, HolesCountAndAbsurdOnesAreRefused) {
  auto file = applier_->begin_file(head("a", 1000005));
  ASSERT_TRUE(file);
  ASSERT_TRUE(file->hole(1000000));
  EXPECT_FALSE(file->hole(~0ULL));
  EXPECT_FALSE(file->write("more than five"));
  EXPECT_FALSE(file->hole(6));
  ASSERT_TRUE(file->write("hello"));
  ASSERT_TRUE(file->finish(hash_of_bytes(std::string(1000000, '\0') + "hello")));
  auto absurd = applier_->begin_file(head("b", ~0ULL >> 1U));
  ASSERT_TRUE(absurd);
  EXPECT_FALSE(absurd->hole(~0ULL >> 2U));
}

TEST_F(ApplyTest, WhatIsReplacedIsInTheTrash) {
  write("a", "old");
  ASSERT_TRUE(put(head("a", 3), "new"));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(applier_->trashed(), 1U);
  EXPECT_THAT(trashed(), ElementsAre("a"));
  begin({.keep = Keep::Nowhere});
  ASSERT_TRUE(put(head("a", 5), "newer"));
  EXPECT_EQ(applier_->trashed(), 0U);
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(ApplyTest, WhatSomebodyChangedMeanwhileStays) {
  write("a", "old");
  const FileHead on_a = head("a", 4);
  const FileHead on_b = head("b", 4);
  write("a", "theirs");
  write("b", "theirs");
  EXPECT_EQ(put(on_a, "mine").error().code, Errc::Conflict);
  EXPECT_EQ(put(on_b, "mine").error().code, Errc::Conflict);
  EXPECT_EQ(applier_->remove("a", on_a.expected).error().code, Errc::Conflict);
  FileHead beside = on_a;
  beside.aside = "a.old";
  EXPECT_EQ(put(beside, "mine").error().code, Errc::Conflict);
  EXPECT_EQ(applier_->set_attributes(on_a).error().code, Errc::Conflict);
  EXPECT_EQ(applier_->make_link({.path = "a", .expected = on_a.expected}, "x").error().code,
            Errc::Conflict);
  EXPECT_EQ(applier_->make_link({.path = "b"}, "x").error().code, Errc::Conflict);
  EXPECT_EQ(applier_->make_twin({.path = "b"}, "a").error().code, Errc::Conflict);
  EXPECT_EQ(read("a"), "theirs");
  EXPECT_EQ(read("b"), "theirs");
  fs::remove(path("a"));
  EXPECT_EQ(put(on_a, "mine").error().code, Errc::Conflict);
  EXPECT_THAT(names(), ElementsAre("b"));
}

TEST_F(ApplyTest, TwinsAreOneFile) {
  write("a", "one");
  write("b", "another");
  ASSERT_TRUE(applier_->make_twin({.path = "c"}, "a"));
  ASSERT_TRUE(applier_->make_twin({.path = "b", .expected = seen("b")}, "a"));
  ASSERT_TRUE(
      applier_->make_twin({.path = "b", .expected = seen("b")}, "a"));  // they are one already
  EXPECT_TRUE(fs::equivalent(path("a"), path("b")));
  EXPECT_TRUE(fs::equivalent(path("a"), path("c")));
  EXPECT_FALSE(applier_->make_twin({.path = "d"}, "missing"));
  EXPECT_FALSE(applier_->make_twin({.path = "d"}, "../outside"));
  EXPECT_THAT(names(), ElementsAre("a", "b", "c"));
}

TEST_F(ApplyTest, ANewModeIsNotForOtherNames) {
  write("a", "one");
  fs::create_hard_link(path("a"), scratch_ / "outside/a");
  const mode_t before = testing::mode_of(scratch_ / "outside/a");
  FileHead wanted = head("a", 0);
  wanted.mode = 0444;
  ASSERT_TRUE(applier_->set_attributes(wanted));
  EXPECT_EQ(testing::mode_of(path("a")), 0444U);
  EXPECT_EQ(testing::mode_of(scratch_ / "outside/a"), before);
  EXPECT_EQ(read("a"), "one");
}

TEST_F(ApplyTest, SettingAsideNeverOverwrites) {
  write("a", "one");
  write("a.old", "older");
  FileHead mine = head("a", 4);
  mine.aside = "a.old";
  EXPECT_FALSE(put(mine, "mine"));
  EXPECT_EQ(read("a"), "one");
  mine.aside = "a.older";
  ASSERT_TRUE(put(mine, "mine"));
  EXPECT_THAT(names(), ElementsAre("a", "a.old", "a.older"));
  EXPECT_EQ(read("a"), "mine");
  EXPECT_EQ(read("a.older"), "one");
}

TEST_F(ApplyTest, WhereThereAreNoModesThereAreStillFiles) {
  EXPECT_TRUE(testing::is_so_in_a_child([&] {
    FileHead wanted = head("a", 4);
    wanted.mode = 0640;
    return testing::refuse_calls({{SYS_fchmod, EPERM}}) && put(wanted, "mine") &&
           applier_->lost_modes();
  }));
  EXPECT_EQ(read("a"), "mine");
}

TEST_F(ApplyTest, NothingIsSetAsideForWhatDoesNotArrive) {
  write("a", "one");
  FileHead mine = head("a", 4);
  mine.aside = "a.old";
  {
    auto file = applier_->begin_file(mine);
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->write("mi"));
    EXPECT_FALSE(file->finish({}));
  }
  EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(ApplyTest, ADirectoryThatIsNotEmptyStays) {
  write("d/x", "x");
  const auto removed = applier_->remove("d", seen("d"));
  ASSERT_TRUE(removed);
  EXPECT_FALSE(*removed);
  ASSERT_TRUE(*applier_->remove("d/x", seen("d/x")));
  ASSERT_TRUE(*applier_->remove("d", seen("d")));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_THAT(trashed(), ElementsAre("d/x"));
}

TEST_F(ApplyTest, NothingLeadsOutside) {
  fs::create_symlink(scratch_ / "outside", path("link"));
  for (const std::string bad : {"link/a", "../outside/a", "/etc/x", "a/../../x", ""}) {
    EXPECT_FALSE(put({.path = bad, .mode = 0600, .size = 1}, "x")) << bad;
    EXPECT_FALSE(applier_->make_link({.path = bad}, "x")) << bad;
    EXPECT_FALSE(applier_->make_directory(bad, {})) << bad;
    EXPECT_FALSE(applier_->remove(bad, {.exists = true})) << bad;
    // The root itself may be finished, and nothing beside it.
    EXPECT_EQ(applier_->finish_directory(bad, {0700}, 0).has_value(), bad.empty()) << bad;
    EXPECT_FALSE(PartFile::open(*applier_, {.path = bad, .size = 1})) << bad;
  }
  EXPECT_FALSE(applier_->finish_directory("link", {0}, 0));
  EXPECT_TRUE(fs::is_empty(scratch_ / "outside"));
  EXPECT_THAT(names(), ElementsAre("link"));
}

class PartTest : public ApplyTest {
 protected:
  static constexpr std::uint64_t kSize = 2 * kSegment + 5;
  PartTest() : head_(head("large", kSize)) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      segments_.emplace_back(segment_size(kSize, i), static_cast<char>('a' + i));
    }
  }
  static Result<void> send(PartFile& part, std::uint64_t index, const std::string& bytes) {
    TRY(part.begin(index));
    TRY(part.write(bytes));
    return part.end(hash_of_bytes(bytes));
  }
  Segments hashes() const {
    Segments all;
    for (const auto& segment : segments_) all[all.size()] = hash_of_bytes(segment);
    return all;
  }
  FileHead head_;
  std::vector<std::string> segments_;
};

TEST_F(PartTest, SegmentsComeInAnyOrderFromTwoWritersAndAttempts) {
  {
    auto part = PartFile::open(*applier_, head_);
    ASSERT_TRUE(part);
    ASSERT_TRUE(send(*part, 2, segments_[2]));
    ASSERT_TRUE(part->begin(0));
    ASSERT_TRUE(part->write("only a bit"));
  }
  auto one = PartFile::open(*applier_, head_);
  auto other = PartFile::open(*applier_, head_);
  ASSERT_TRUE(one && other);
  EXPECT_EQ(one->verified()->size(), 1U);
  EXPECT_FALSE(one->finish(hashes()));
  EXPECT_FALSE(one->finish_runs({{0, 3}}));
  ASSERT_TRUE(send(*one, 0, segments_[0]));
  ASSERT_TRUE(send(*other, 1, segments_[1]));
  ASSERT_TRUE(one->finish(hashes()));
  EXPECT_TRUE(read("large") == segments_[0] + segments_[1] + segments_[2]);
  EXPECT_THAT(names(), ElementsAre("large"));
}

TEST_F(PartTest, AWrongHashAndTooManyBytesAreRefused) {
  auto part = PartFile::open(*applier_, head_);
  ASSERT_TRUE(part);
  EXPECT_FALSE(part->begin(3));
  ASSERT_TRUE(part->begin(2));
  EXPECT_FALSE(part->write("123456"));
  EXPECT_FALSE(part->hole(6));
  ASSERT_TRUE(part->write("12345"));
  EXPECT_FALSE(part->end(hash_of_bytes("12346")));
  EXPECT_TRUE(part->verified()->empty());
}

TEST_F(PartTest, AHoleClearsWhatAnEarlierAttemptLeft) {
  auto part = PartFile::open(*applier_, head_);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(send(*part, i, segments_[i]));
  auto all = hashes();
  all.erase(1);  // the source has dug a hole since
  ASSERT_TRUE(part->finish(all));
  EXPECT_TRUE(read("large") == segments_[0] + std::string(kSegment, '\0') + segments_[2]);
}

TEST_F(PartTest, WhatWasDamagedSinceIsNotBelieved) {
  auto part = PartFile::open(*applier_, head_);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(send(*part, i, segments_[i]));
  const Fd file(::open(path(part_name(head_)).c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::pwrite(file.get(), "X", 1, 100), 1);
  EXPECT_EQ(part->verified()->count(0), 0U);
  EXPECT_EQ(part->verified()->size(), 2U);
}

TEST_F(PartTest, ANoteThatWasTornByAFullDiskDoesNotSpoilTheRest) {
  {
    auto part = PartFile::open(*applier_, head_);
    ASSERT_TRUE(send(*part, 0, segments_[0]));
    std::ofstream(path(part_name(head_) + ".map"), std::ios::app) << "torn";
  }
  auto part = PartFile::open(*applier_, head_);
  ASSERT_TRUE(send(*part, 1, segments_[1]));
  ASSERT_TRUE(send(*part, 2, segments_[2]));
  EXPECT_EQ(part->verified()->size(), 3U);
  EXPECT_TRUE(part->finish(hashes()));
}

TEST_F(PartTest, AConflictAtTheEndKeepsThePart) {
  auto part = PartFile::open(*applier_, head_);
  for (std::uint64_t i = 0; i < 3; ++i) ASSERT_TRUE(send(*part, i, segments_[i]));
  write("large", "theirs");
  EXPECT_EQ(part->finish(hashes()).error().code, Errc::Conflict);
  EXPECT_EQ(read("large"), "theirs");
  EXPECT_EQ(testing::mode_of(path(part_name(head_))), 0600U);
  EXPECT_EQ(PartFile::open(*applier_, head_)->verified()->size(), 3U);
}

TEST_F(PartTest, AnotherVersionOrOriginHasAnotherPart) {
  FileHead newer = head_;
  ++newer.mtime_ns;
  FileHead foreign = head_;
  foreign.origin = 5;
  EXPECT_NE(part_name(head_), part_name(newer));
  EXPECT_NE(part_name(head_), part_name(foreign));
}

TEST_F(PartTest, OnlyOldPartsAreForgotten) {
  const std::string map = map_name(part_name(head_));
  {
    const auto part = PartFile::open(*applier_, head_);
    ASSERT_TRUE(part);
    remove_old_part(root_.get(), part_name(head_), 0);
    remove_old_part(root_.get(), map, 0);
    EXPECT_EQ(names().size(), 2U) << "one that is being worked on went";
  }
  remove_old_part(root_.get(), part_name(head_), 1000000);
  EXPECT_EQ(names().size(), 2U);
  remove_old_part(root_.get(), part_name(head_), 0);
  remove_old_part(root_.get(), map, 0);
  EXPECT_THAT(names(), IsEmpty());
  // Whatever else looks like it may be all that is left of a file.
  const std::string hex(32, 'a');
  for (const std::string other : {".~yonder-abcdefgh-1", ".~yonder-old-abcdefghijkl",
                                  ".~yonder-part-mine", ".~yonder-part-"}) {
    write(other, "precious");
    remove_old_part(root_.get(), other, 0);
    EXPECT_EQ(read(other), "precious");
  }
  for (const std::string end : {"", ".map", "-0123456789abcdef", "-0123456789abcdef.map"}) {
    EXPECT_TRUE(is_part_name(".~yonder-part-" + hex + end));
    EXPECT_FALSE(is_part_name(".~yonder-part-" + hex + end + "x"));
  }
}

}  // namespace
}  // namespace yonder::tree
