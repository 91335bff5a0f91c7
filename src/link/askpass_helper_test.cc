#include <gtest/gtest.h>
#include <unistd.h>

#include "link/askpass_message.h"
#include "link/askpass_testing.h"

namespace {

// Tests name this very program as SSH_ASKPASS. As main() belongs to GoogleTest, the question is
// looked at before it. (glibc hands a constructor main's arguments.)
[[gnu::constructor]] void act_as_askpass(int argc, char** argv) {
  if (const auto status = yonder::link::run_as_askpass(argc, argv)) ::_exit(*status);
}

}  // namespace

namespace yonder::link {
namespace {

using askpass_testing::end_of;
using askpass_testing::kRefused;
using askpass_testing::start_helper;

TEST(RunAsAskpass, IsNoAskpassWithoutTheVariable) {
  ASSERT_EQ(std::getenv(kSocketVariable), nullptr);
  std::string name = "yonder";
  std::string argument = "mcp";
  std::array<char*, 3> argv{name.data(), argument.data(), nullptr};
  EXPECT_EQ(run_as_askpass(2, argv.data()), std::nullopt);
}

TEST(RunAsAskpass, RefusesWhenNobodyListens) {
  EXPECT_EQ(end_of(start_helper({concat(kSocketVariable, "=/nonexistent/socket")}, "Password: ")),
            kRefused);
}

TEST(WithAskpass, ReplacesWhatIsThereAndAddsADisplayOnlyWhereThereIsNone) {
  const std::vector<std::string> added{"SSH_ASKPASS=/ours", "DISPLAY=(none)"};
  EXPECT_EQ(with_askpass({"HOME=/h", "SSH_ASKPASS=/theirs", "SSH_ASKPASS_PROMPT=none"}, added),
            (std::vector<std::string>{"HOME=/h", "SSH_ASKPASS=/ours", "DISPLAY=(none)"}));
  EXPECT_EQ(with_askpass({"DISPLAY=:1"}, added),
            (std::vector<std::string>{"DISPLAY=:1", "SSH_ASKPASS=/ours"}));
}

}  // namespace
}  // namespace yonder::link
