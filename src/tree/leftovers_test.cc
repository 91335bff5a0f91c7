#include "tree/leftovers.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "base/scratch_test.h"
#include "tree/apply.h"
#include "tree/directory_names.h"
#include "tree/file_place.h"
#include "tree/part.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

TEST(TemporaryName, IsThatOfASyncOrAWriteAndOfNothingElse) {
  for (const std::string& name : {std::string(".~yonder-abcdefg7-1"),
                                  std::string(".~yonder-zzzzzzzz-123"), temporary_name()}) {
    EXPECT_TRUE(is_temporary_name(name)) << name;
  }
  const FileHead head{.path = "f"};
  for (const std::string& name :
       {std::string(), std::string(".~yonder-"), std::string(".~yonder-mine"), aside_name(),
        part_name(head), own_part_name(head, {1, 1}), map_name(part_name(head)),
        std::string(".~yonder-abcdefgh-"), std::string(".~yonder-abcdefgh-1x"),
        std::string("x.~yonder-abcdefgh-1"), std::string(".~yonder-ABCDEFGH-1")}) {
    EXPECT_FALSE(is_temporary_name(name)) << name;
  }
}

class Leftovers : public ::testing::Test {
 protected:
  Leftovers() {
    fs::create_directory(scratch_ / "root");
    root_ = Fd(::open((scratch_ / "root").c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  }
  Applier applier() const {
    return Applier(root_.get(), scratch_ / "root", TrashPlace{scratch_ / "state"}, {});
  }
  bool is_there(const std::string& name) const {
    return fs::exists(fs::symlink_status(scratch_ / ("root/" + name)));
  }

  testing::Scratch scratch_;
  Fd root_;
};

TEST_F(Leftovers, AFileWhoseWriterIsGoneIsRemovedAndOneWhoseWriterLivesIsNot) {
  scratch_.write("root/.~yonder-abcdefgh-1", "x");
  fs::create_symlink("/nowhere", scratch_ / "root/.~yonder-abcdefgh-2");
  Applier tree = applier();
  {
    auto incoming = tree.begin_file({.path = "f", .mode = 0600, .size = 1});
    ASSERT_TRUE(incoming);
    const auto names = names_in(root_.get());
    ASSERT_THAT(*names, SizeIs(3));
    for (const std::string& name : *names) {
      EXPECT_EQ(remove_abandoned(root_.get(), name, 0), name.starts_with(".~yonder-abcdefgh"))
          << name;
    }
    EXPECT_THAT(*names_in(root_.get()), SizeIs(1));
    ASSERT_TRUE(incoming->write("x"));
    ASSERT_TRUE(incoming->finish(hash_of_bytes("x")));
  }
  EXPECT_EQ(scratch_.read("root/f"), "x");
}

TEST_F(Leftovers, WhatIsYoungOrPutAsideOrADirectoryStays) {
  const std::string aside = aside_name();
  scratch_.write("root/.~yonder-abcdefgh-1", "x");
  scratch_.write("root/" + aside, "somebody's");
  fs::create_directory(scratch_ / "root/.~yonder-abcdefgh-2");
  EXPECT_FALSE(remove_abandoned(root_.get(), ".~yonder-abcdefgh-1", kAbandoned));
  EXPECT_FALSE(remove_leftover(root_.get(), ".~yonder-abcdefgh-1"));
  EXPECT_FALSE(remove_abandoned(root_.get(), aside, 0));
  EXPECT_FALSE(remove_abandoned(root_.get(), ".~yonder-abcdefgh-2", 0));
  remove_leftovers_in(root_.get());
  EXPECT_THAT(*names_in(root_.get()), SizeIs(3));
}

TEST_F(Leftovers, ADirectoryThatStaysBecauseOfOneIsNoSuccess) {
  scratch_.write("root/d/.~yonder-abcdefgh-1", "x");
  Applier tree = applier();
  const auto removed = tree.remove("d", {.exists = true, .type = Type::Directory});
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().code, Errc::Conflict);
  EXPECT_THAT(removed.error().message, HasSubstr(".~yonder-abcdefgh-1"));
  EXPECT_TRUE(is_there("d/.~yonder-abcdefgh-1"));
  // Something that was not to be removed keeps it anyhow.
  scratch_.write("root/d/excluded", "x");
  const auto kept = tree.remove("d", {.exists = true, .type = Type::Directory});
  ASSERT_TRUE(kept);
  EXPECT_FALSE(*kept);
}

TEST_F(Leftovers, APartThatNobodyHasOpenDoesNotKeepItsDirectory) {
  const std::string part = part_name({.path = "d/f"});
  scratch_.write("root/d/" + part, "x");
  scratch_.write("root/d/" + map_name(part), "x");
  Applier tree = applier();
  const auto removed = tree.remove("d", {.exists = true, .type = Type::Directory});
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_TRUE(*removed);
  EXPECT_FALSE(is_there("d"));
}

}  // namespace
}  // namespace yonder::tree
