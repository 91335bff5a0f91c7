#include "sync/far_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yonder::sync {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using tree::Entry;
using tree::Type;

Entry file(const std::string& path) {
  return {.path = path, .mode = 0644, .size = 1};
}
Entry directory(const std::string& path) {
  return {.path = path, .type = Type::Directory, .mode = 0755};
}

class FarListTest : public ::testing::Test {
 protected:
  FarListTest() { tree::add_defaults(rules_); }

  std::vector<std::string> kept() const {
    std::vector<std::string> paths;
    for (const auto& entry : list_.entries) paths.push_back(entry.path);
    return paths;
  }
  std::vector<std::string> skipped() const {
    std::vector<std::string> paths;
    for (const auto& skip : list_.skips) paths.push_back(skip.path);
    return paths;
  }

  tree::RuleSet rules_;
  tree::Listing list_;
};

TEST_F(FarListTest, AnHonestListStaysAsItIs) {
  list_.entries = {file("a"), directory("d"), file("d/b"), directory("d/e"), file("d/e/c")};
  EXPECT_EQ(drop_unasked(list_, rules_).entries, 0U);
  EXPECT_THAT(kept(), ElementsAre("a", "d", "d/b", "d/e", "d/e/c"));
  EXPECT_THAT(skipped(), IsEmpty());
}

TEST_F(FarListTest, WhatARuleLeavesOutIsDroppedWithAllThatIsInIt) {
  list_.entries = {directory(".git"), directory(".git/hooks"), file(".git/hooks/pre-push"),
                   file("a"), file("id_rsa")};
  const Unasked unasked = drop_unasked(list_, rules_);
  EXPECT_EQ(unasked.entries, 4U);
  EXPECT_EQ(unasked.first, ".git");
  EXPECT_THAT(kept(), ElementsAre("a"));
  EXPECT_THAT(skipped(), ElementsAre(".git", "id_rsa"));
  EXPECT_THAT(list_.skips[0].detail, HasSubstr("`.git` (built in)"));
  EXPECT_TRUE(list_.skips[0].is_directory);
}

TEST_F(FarListTest, ADirectoryThatIsNotListedIsJudgedAllTheSame) {
  ASSERT_TRUE(rules_.add("", "/.ssh", {"secret place"}));
  list_.entries = {file(".git/hooks/pre-push"), file(".ssh/authorized_keys"),
                   file("sub/.git/config"), file("sub/.ssh/known")};
  EXPECT_EQ(drop_unasked(list_, rules_).entries, 3U);
  EXPECT_THAT(kept(), ElementsAre("sub/.ssh/known"));
}

TEST_F(FarListTest, WhatTheUserBringsBackStays) {
  ASSERT_TRUE(rules_.add("", "!.git", {"excludes", 1}));
  list_.entries = {directory(".git"), file(".git/config")};
  EXPECT_EQ(drop_unasked(list_, rules_).entries, 0U);
}

}  // namespace
}  // namespace yonder::sync
