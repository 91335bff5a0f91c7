#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/parsing_test.h"

namespace yonder::cli {
namespace {

using ::testing::HasSubstr;

TEST(ParseSettings, TakesASandboxToUseAddOrRemove) {
  EXPECT_EQ(parsed<UseOptions>({"use", "gpu1"}).sandbox, "gpu1");
  EXPECT_TRUE(parsed<RemoveOptions>({"remove", "gpu1", "--json"}).json);
  const auto add =
      parsed<AddOptions>({"add", "lab", "10.0.0.7", "--user", "me", "--port", "22", "--key-file",
                          "~/.ssh/k", "--cwd", "w", "--label", "a", "--label", "b"});
  EXPECT_EQ(add.spec.name, "lab");
  EXPECT_EQ(add.spec.host, "10.0.0.7");
  EXPECT_EQ(add.spec.user, "me");
  EXPECT_EQ(add.spec.port, 22);
  EXPECT_EQ(add.spec.key_file, "~/.ssh/k");
  EXPECT_EQ(add.spec.cwd, "w");
  EXPECT_EQ(add.spec.labels, (Words{"a", "b"}));
}

TEST(ParseSettings, SaysWhatIsMissing) {
  EXPECT_THAT(refusal({"use"}), HasSubstr("needs the name of a sandbox"));
  EXPECT_THAT(refusal({"use", ""}), HasSubstr("name is empty"));
  EXPECT_THAT(refusal({"add", "lab"}), HasSubstr("yonder add NAME HOST"));
  EXPECT_THAT(refusal({"add", "lab", "h", "--port", "0"}), HasSubstr("--port"));
  EXPECT_THAT(refusal({"remove"}), HasSubstr("needs the name of a sandbox"));
}

}  // namespace
}  // namespace yonder::cli
