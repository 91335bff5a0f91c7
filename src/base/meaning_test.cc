#include "base/meaning.h"

#include <gtest/gtest.h>

namespace yonder {
namespace {

TEST(ProbablyMeant, KnowsWhatOtherProgramsCallTheSame) {
  const std::vector<std::string> commands{"exec", "run",  "ps",   "logs",    "stop", "ls",
                                          "cat",  "push", "pull", "restore", "rm",   "hosts"};
  struct Case {
    const char* word;
    const char* meant;
  };
  for (const auto& c : std::vector<Case>{{"cp", "push"},
                                         {"upload", "push"},
                                         {"download", "pull"},
                                         {"kill", "stop"},
                                         {"jobs", "ps"},
                                         {"tasks", "ps"},
                                         {"tail", "logs"},
                                         {"ssh", "exec"},
                                         {"delete", "rm"},
                                         {"DIR", "ls"},
                                         {"machines", "hosts"}}) {
    EXPECT_EQ(probably_meant(c.word, commands), c.meant) << c.word;
  }
}

TEST(ProbablyMeant, FindsOptionsAndArgumentsTheWayTheyAreWritten) {
  EXPECT_EQ(probably_meant("--directory", {"--env", "--cwd"}), "--cwd");
  EXPECT_EQ(probably_meant("--time-limit", {"--timeout"}), "--timeout");
  EXPECT_EQ(probably_meant("cmd", {"cwd", "command"}), "command");
  EXPECT_EQ(probably_meant("timeout", {"timeout_s", "wait_s"}), "timeout_s");
  EXPECT_EQ(probably_meant("host", {"command", "sandbox_name"}), "sandbox_name");
}

TEST(ProbablyMeant, FallsBackOnTheLetters) {
  EXPECT_EQ(probably_meant("exce", {"exec", "run"}), "exec");
  EXPECT_EQ(probably_meant("--tiemout", {"--timeout"}), "--timeout");
  EXPECT_EQ(probably_meant("upload", {"exec", "run"}), "") << "what it means is no candidate";
  EXPECT_EQ(probably_meant("", {"exec"}), "");
  EXPECT_EQ(probably_meant("--", {"--json"}), "");
}

}  // namespace
}  // namespace yonder
