#include "outpost/missing_program.h"

#include <gtest/gtest.h>

namespace yonder::outpost {
namespace {

TEST(FirstProgram, IsToldOnlyWhereNoShellIsNeededToTellIt) {
  EXPECT_EQ(first_program("train --fast"), "train");
  EXPECT_EQ(first_program("  ./run.sh"), "./run.sh");
  EXPECT_EQ(first_program("/opt/x\nmore"), "/opt/x");
  for (const char* other : {"", "  ", "a=1 make", "$TOOL x", "(cd x)", "exec train",
                            "cd /x && make", "if true", "'a b'", "make;", ". env"}) {
    EXPECT_EQ(first_program(other), "") << other;
  }
}

TEST(MayLackItsProgram, LooksWhereTheRunWillLook) {
  const std::vector<std::string> inherited{"PATH=/nowhere"};
  const auto lacks = [&](const std::string& command, bool login = false) {
    return may_lack_its_program({.command = command, .login = login}, inherited);
  };
  EXPECT_TRUE(lacks("there-is-no-such-program --x"));
  EXPECT_TRUE(lacks("/nowhere/program"));
  EXPECT_FALSE(lacks("there-is-no-such-program", true)) << "a login shell may know more";
  EXPECT_FALSE(lacks("sh -c true"));
  EXPECT_FALSE(lacks("/bin/sh"));
  EXPECT_FALSE(lacks("./here"));
  EXPECT_TRUE(may_lack_its_program({.argv = {"there-is-no-such-program"}}, inherited));
}

}  // namespace
}  // namespace yonder::outpost
