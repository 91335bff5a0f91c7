#include "cli/version_text.h"

#include <gtest/gtest.h>

namespace yonder::cli {
namespace {

const Build kFromGit{"0.1.0", "1fb14756-dirty", "Release", "x86-64"};
const Build kFromTarball{"0.1.0", "", "Release", "aarch64"};

TEST(VersionText, NamesVersionCommitAndBuild) {
  EXPECT_EQ(version_text(kFromGit), "yonder 0.1.0 (commit 1fb14756-dirty, Release, x86-64)\n");
}

TEST(VersionText, SaysSoWhenThereIsNoCommit) {
  EXPECT_EQ(version_text(kFromTarball), "yonder 0.1.0 (not built from git, Release, aarch64)\n");
}

TEST(VersionJson, HasTheSameFacts) {
  const Json json = version_json(kFromGit);
  EXPECT_EQ(json["version"], "0.1.0");
  EXPECT_EQ(json["commit"], "1fb14756-dirty");
  EXPECT_EQ(json["build"], "Release");
  EXPECT_EQ(json["machine"], "x86-64");
  EXPECT_TRUE(version_json(kFromTarball)["commit"].is_null());
}

}  // namespace
}  // namespace yonder::cli
