#include "ops/git_safety.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"

namespace yonder::ops {
namespace {

using ::testing::ElementsAre;

TEST(GitSafety, NoVariableNamesAProgramOrAnotherRepository) {
  const auto safe = safe_git_environment({"PATH=/bin", "GIT_DIR=/x", "GIT_EXTERNAL_DIFF=evil",
                                          "GIT_SSH_COMMAND=evil", "GIT_CONFIG_COUNT=1",
                                          "GIT_CONFIG_PARAMETERS='a'='b'", "GIT_ALLOW_PROTOCOL=ext",
                                          "GIT_CONFIG_GLOBAL=/mine", "LC_ALL=de"});
  EXPECT_THAT(
      safe, ElementsAre("PATH=/bin", "GIT_CONFIG_GLOBAL=/mine", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0",
                        "GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=", "GIT_NO_LAZY_FETCH=1"));
}

TEST(GitSafety, EveryFilterIsTurnedOffOnce) {
  const std::string listed("core.bare\0filter.lfs.clean\0filter.lfs.process\0filter.a.b.smudge\0",
                           64);
  const FilterOptions off = without_filters(listed);
  EXPECT_THAT(off.options,
              ElementsAre("-c", "filter.a.b.process=", "-c", "filter.a.b.required=false", "-c",
                          "filter.lfs.process=", "-c", "filter.lfs.required=false"));
  EXPECT_FALSE(off.unspeakable);
}

TEST(GitSafety, AFilterThatCannotBeNamedIsToldOf) {
  EXPECT_TRUE(without_filters(std::string("filter.a=b.clean\0", 17)).unspeakable);
}

}  // namespace
}  // namespace yonder::ops
