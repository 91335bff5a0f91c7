#include "lab/ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/command.h"
#include "lab/lab.h"

namespace yonder::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What tests of this program say in a lab that is entered in such a way.
std::string tests_in(const std::string& way, const std::string& filter) {
  auto environment = Lab::get().environment();
  environment.push_back("YONDER_LAB_WAY=" + way);
  const auto done = capture({"/proc/self/exe", "--gtest_filter=" + filter}, environment);
  EXPECT_TRUE(done) << done.error().message;
  if (!done) return "";
  EXPECT_TRUE(done->status.success()) << done->out << done->err;
  return done->out;
}

constexpr const char* kSomeTests = "SshdTest.TakesPasswords:SshdTest.HidesPrograms*";

TEST(Ways, NoneMeansThatTestsAreSkippedAndNoPartOfThemRuns) {
  const std::string said = tests_in("none", "SshdTest.*:OtherLab.*:Lab.*");
  EXPECT_THAT(said, HasSubstr("[  PASSED  ] 0 tests."));
  EXPECT_THAT(said, HasSubstr("needs namespaces of its own, which are refused here"));
  EXPECT_THAT(said, Not(HasSubstr("FAILED")));
}

TEST(Ways, OneUserIsEnoughForServersKeysAndPasswords) {
  EXPECT_THAT(tests_in("one-user", kSomeTests), HasSubstr("[  PASSED  ] 2 tests."));
}

TEST(Ways, OneUserIsNotEnoughForPam) {
  const std::string said = tests_in("one-user", "SshdTest.AsksForThePassword*");
  EXPECT_THAT(said, HasSubstr("needs PAM: run as root"));
}

TEST(Ways, RootWhoMayNotMountHasANamespaceWithTheSameUsers) {
  need(Need::Users);
  EXPECT_THAT(tests_in("root-in-namespace", kSomeTests), HasSubstr("[  PASSED  ] 2 tests."));
}

}  // namespace
}  // namespace yonder::lab
