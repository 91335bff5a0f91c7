// Parts for which there is no room, whose source is gone, or that lie where nothing can be locked.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "base/clock.h"
#include "base/refused_calls_test.h"
#include "base/scratch_test.h"
#include "tree/directory_names.h"
#include "tree/part.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::is_so_in_a_child;
using ::testing::IsEmpty;
using testing::refuse_calls;
using ::testing::UnorderedElementsAre;

class PartTroubleTest : public ::testing::Test {
 protected:
  static constexpr std::uint64_t kSize = 3 * kSegment;
  PartTroubleTest() {
    fs::create_directory(scratch_ / "root");
    open_root();
  }
  void open_root() {
    root_ = Fd(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  std::unique_ptr<Applier> applier(PartClaim claim, bool flush = false) const {
    return std::make_unique<Applier>(root_.get(), scratch_ / "root", TrashPlace{scratch_ / "state"},
                                     ApplyOptions{.flush_to_disk = flush, .claim = claim});
  }
  static Result<void> write(PartFile& part, std::uint64_t index) {
    TRY(part.begin(index));
    return part.write(std::string(kSegment, 'a'));
  }
  static Result<void> send(PartFile& part, std::uint64_t index) {
    TRY(write(part, index));
    return part.end(hash_of_bytes(std::string(kSegment, 'a')));
  }
  static bool is_no_room(const Result<void>& outcome) {
    return !outcome && outcome.error().code == Errc::NoRoom;
  }
  std::vector<std::string> names() const { return *names_in(root_.get()); }

  testing::Scratch scratch_;
  Fd root_;
  FileHead head_{.path = "large", .mode = 0600, .size = kSize};
};

TEST_F(PartTroubleTest, EveryLinkHearsThatThereIsNoRoom) {
  const auto problem = testing::with_private_mounts([&]() -> std::string {
    if (!testing::mount_tmpfs(scratch_ / "root", "size=12m")) return "mount";
    open_root();
    const auto one = applier({1, 1});
    const auto two = applier({1, 1});
    auto first = PartFile::open(*one, head_);
    auto second = PartFile::open(*two, head_);
    if (!first || !second || !send(*first, 0)) return "the first segment";
    if (!is_no_room(send(*first, 1))) return "what it does not say";
    if (!is_no_room(send(*second, 2))) return "what the other link does not say";
    if (!second->begin(2) || !is_no_room(second->hole(5))) return "nor of a hole";
    if (!is_no_room(first->finish_runs({{0, 3}}))) return "nor in the end";
    if (!names().empty()) return "it is still there";
    return "";
  });
  EXPECT_EQ(problem, "");
}

TEST_F(PartTroubleTest, NothingStaysWhereTheDiskTellsLateThatItIsFull) {
  EXPECT_TRUE(is_so_in_a_child([&] {
    const auto one = applier({1, 1}, true);
    auto part = PartFile::open(*one, head_);
    for (const std::uint64_t i : {0U, 1U, 2U}) {
      if (!part || !send(*part, i)) return false;
    }
    return refuse_calls({{SYS_fsync, ENOSPC}}) && is_no_room(part->finish_runs({{0, 3}}));
  }));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(PartTroubleTest, NothingStaysWhereThereIsNoRoomForZeros) {
  EXPECT_TRUE(is_so_in_a_child([&] {
    const auto one = applier({1, 1});
    auto part = PartFile::open(*one, head_);
    return part && send(*part, 0) &&
           refuse_calls({{SYS_fallocate, EOPNOTSUPP}, {SYS_pwrite64, ENOSPC}}) && part->begin(0) &&
           is_no_room(part->hole(kSegment));
  }));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(PartTroubleTest, NothingStaysWhereThereIsNoRoomForItsList) {
  EXPECT_TRUE(is_so_in_a_child([&] {
    const auto one = applier({1, 1});
    auto part = PartFile::open(*one, head_);
    return part && write(*part, 0) && refuse_calls({{SYS_pwrite64, ENOSPC}}) &&
           is_no_room(part->end(hash_of_bytes(std::string(kSegment, 'a'))));
  }));
  EXPECT_THAT(names(), IsEmpty());
  EXPECT_TRUE(is_so_in_a_child([&] {
    const auto one = applier({1, 1});
    return refuse_calls({{SYS_pwrite64, ENOSPC}}) &&
           PartFile::open(*one, head_).error().code == Errc::NoRoom;
  }));
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(PartTroubleTest, NobodyWritesToAPartWhoseSourceIsGone) {
  const auto one = applier({1, 1});
  const auto two = applier({1, 1});
  auto first = PartFile::open(*one, head_);
  auto second = PartFile::open(*two, head_);
  ASSERT_TRUE(first && second && send(*first, 0));
  ASSERT_TRUE(first->discard());
  EXPECT_THAT(names(), IsEmpty());
  const auto late = send(*second, 1);
  EXPECT_EQ(late.error().code, Errc::Conflict);
  EXPECT_THAT(late.error().message, HasSubstr("was changed"));
  // Another version may come by the same name.
  auto next = PartFile::open(*one, head_);
  ASSERT_TRUE(next);
  EXPECT_FALSE(second->discard());
  EXPECT_TRUE(send(*next, 0));
  EXPECT_EQ(names().size(), 2U);
}

TEST_F(PartTroubleTest, OnlyOnesOwnPartIsDiscarded) {
  const auto one = applier({1, 1});
  const auto two = applier({2, 1});
  {
    auto part = PartFile::open(*one, head_);
    ASSERT_TRUE(part && send(*part, 0));
  }
  discard_part(*two, head_);
  EXPECT_EQ(names().size(), 2U);
  discard_part(*one, head_);
  EXPECT_THAT(names(), IsEmpty());
  discard_part(*one, head_);
  EXPECT_THAT(names(), IsEmpty());
}

TEST_F(PartTroubleTest, OldPartsOfADirectoryAreRemovedUnlessTheyAreInUse) {
  const auto remove_old_parts = [&](std::int64_t age) {
    const auto all = names_in(root_.get());
    for (const std::string& name : *all) remove_old_part(root_.get(), name, age);
  };
  scratch_.write("root/.~yonder-old-x", "somebody's");
  scratch_.write("root/a", "a");
  const auto one = applier({1, 1});
  std::optional<PartFile> part = *PartFile::open(*one, head_);
  remove_old_parts(0);
  EXPECT_EQ(names().size(), 4U) << "somebody works on it";
  part.reset();
  remove_old_parts(kForgottenPart);
  EXPECT_EQ(names().size(), 4U);
  remove_old_parts(0);
  EXPECT_THAT(names(), UnorderedElementsAre(".~yonder-old-x", "a"));
}

TEST_F(PartTroubleTest, NobodyWaitsForLocksThatThereAreNot) {
  for (const int error : {ENOLCK, ENOSYS, EOPNOTSUPP}) {
    EXPECT_TRUE(is_so_in_a_child([&] {
      if (!refuse_calls({{SYS_flock, static_cast<unsigned>(error)}})) return false;
      const auto one = applier({1, 1});
      // Who waits does so for five seconds, each time; who does not is quicker some time.
      const auto waits = [&] {
        discard_part(*one, head_);
        const auto began = std::chrono::steady_clock::now();
        const bool opened = PartFile::open(*one, head_).has_value();
        return !opened || std::chrono::steady_clock::now() - began >= std::chrono::seconds(5);
      };
      for (int tries = 0; waits(); ++tries) {
        if (tries == 20) return false;
      }
      auto part = PartFile::open(*one, head_);
      if (!part) return false;
      // Nobody else can be kept away from any other name.
      const auto there = names();
      const std::string own = own_part_name(head_, {1, 1});
      if (std::find(there.begin(), there.end(), own) == there.end() || there.size() != 2) {
        return false;
      }
      return send(*part, 0) && send(*part, 1) && send(*part, 2) &&
             part->finish_runs({{0, 3}}).has_value();
    }));
    EXPECT_THAT(names(), ElementsAre("large"));
    fs::remove(scratch_ / "root/large");
  }
}

}  // namespace
}  // namespace yonder::tree
