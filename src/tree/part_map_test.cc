#include "tree/part_map.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "tree/part.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;

// Several syncs, or attempts of one, that put the same file into the same place.
class ClaimTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSize = kSegment + 5;
  ClaimTest() {
    fs::create_directory(scratch_ / "root");
    root_ = Fd(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::unique_ptr<Applier> applier(PartClaim claim) {
    return std::make_unique<Applier>(root_.get(), scratch_ / "root", TrashPlace{scratch_ / "state"},
                                     ApplyOptions{.claim = claim});
  }
  static Result<void> send(PartFile& part, std::uint64_t index) {
    TRY(part.begin(index));
    TRY(part.write(bytes(index)));
    return part.end(hash_of_bytes(bytes(index)));
  }
  static std::string bytes(std::uint64_t index) {
    return std::string(segment_size(kSize, index), index == 0 ? 'a' : 'b');
  }
  std::string large() const { return scratch_ / "root/large"; }
  // What somebody does with the file as soon as it has its name.
  void change_it() const {
    const Fd file(::open(large().c_str(), O_WRONLY | O_CLOEXEC));
    ASSERT_EQ(::pwrite(file.get(), "theirs", 6, 0), 6);
    ASSERT_EQ(::ftruncate(file.get(), 7), 0);
    ASSERT_EQ(::fchmod(file.get(), 0644), 0);
  }
  void expect_changed() const {
    EXPECT_EQ(scratch_.read("root/large"), "theirsa");
    EXPECT_EQ(testing::mode_of(large()), 0644U);
  }

  testing::Scratch scratch_;
  Fd root_;
  FileHead head_{.path = "large", .mode = 0600, .size = kSize};
};

TEST_F(ClaimTest, TwoSyncsHaveTwoParts) {
  const auto one = applier({1, 1});
  const auto two = applier({2, 1});
  auto first = PartFile::open(*one, head_);
  ASSERT_TRUE(first);
  ASSERT_TRUE(send(*first, 0));
  auto second = PartFile::open(*two, head_);
  ASSERT_TRUE(second);
  EXPECT_TRUE(second->verified()->empty());
  ASSERT_TRUE(send(*second, 1));
  ASSERT_TRUE(send(*first, 1));
  ASSERT_TRUE(first->finish_runs({{0, 2}}));
  change_it();
  ASSERT_TRUE(send(*second, 0));
  EXPECT_EQ(second->finish_runs({{0, 2}}).error().code, Errc::Conflict);
  expect_changed();
}

TEST_F(ClaimTest, AllLinksOfASyncShareOnePart) {
  const auto one = applier({1, 1});
  const auto two = applier({1, 1});
  auto first = PartFile::open(*one, head_);
  auto second = PartFile::open(*two, head_);
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(send(*first, 0));
  ASSERT_TRUE(send(*second, 1));
  ASSERT_TRUE(first->finish_runs({{0, 2}}));
  change_it();
  // Whatever comes late does not get through.
  EXPECT_FALSE(send(*second, 0));
  ASSERT_TRUE(second->begin(0));
  EXPECT_FALSE(second->hole(5));
  EXPECT_FALSE(second->finish_runs({{0, 2}}));
  expect_changed();
}

TEST_F(ClaimTest, AnAttemptThatWasGivenUpWritesNoMore) {
  const auto old = applier({1, 1});
  const auto next = applier({1, 2});
  auto before = PartFile::open(*old, head_);
  ASSERT_TRUE(before);
  ASSERT_TRUE(send(*before, 0));
  auto now = PartFile::open(*next, head_);
  ASSERT_TRUE(now);
  EXPECT_EQ(now->verified()->size(), 1U) << "it goes on where the other stopped";
  EXPECT_EQ(send(*before, 1).error().code, Errc::Conflict);
  EXPECT_EQ(PartFile::open(*old, head_).error().code, Errc::Conflict);
  ASSERT_TRUE(send(*now, 1));
  ASSERT_TRUE(now->finish_runs({{0, 2}}));
  change_it();
  EXPECT_FALSE(before->finish_runs({{0, 2}}));
  expect_changed();
}

TEST_F(ClaimTest, APartThatNobodyHoldsIsGoneOnWith) {
  {
    const auto one = applier({1, 3});
    auto part = PartFile::open(*one, head_);
    ASSERT_TRUE(part);
    ASSERT_TRUE(send(*part, 1));
  }
  const auto two = applier({2, 1});
  auto part = PartFile::open(*two, head_);
  ASSERT_TRUE(part);
  EXPECT_EQ(part->verified()->size(), 1U);
  ASSERT_TRUE(send(*part, 0));
  ASSERT_TRUE(part->finish_runs({{0, 2}}));
  EXPECT_EQ(scratch_.read("root/large"), bytes(0) + bytes(1));
}

TEST_F(ClaimTest, ASyncStaysWithThePartThatItHasMade) {
  const auto one = applier({1, 1});
  const auto two = applier({2, 1});
  const auto helper = applier({2, 1});
  std::optional<PartFile> busy = *PartFile::open(*one, head_);
  auto part = PartFile::open(*two, head_);
  ASSERT_TRUE(part);
  ASSERT_TRUE(send(*part, 0));
  busy.reset();
  auto other = PartFile::open(*helper, head_);
  ASSERT_TRUE(other);
  EXPECT_EQ(other->verified()->size(), 1U);
}

}  // namespace
}  // namespace yonder::tree
