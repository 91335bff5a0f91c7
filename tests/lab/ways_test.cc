#include "lab/ways.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lab/command.h"
#include "lab/lab.h"
#include "lab/verdict.h"

namespace yonder::lab {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What tests of this program say in a lab that is entered with such an environment.
std::string tests_with(const std::vector<std::string>& more, const std::string& filter,
                       int wanted_status) {
  auto environment = Lab::get().environment();
  environment.insert(environment.end(), more.begin(), more.end());
  const auto done = capture({"/proc/self/exe", "--gtest_filter=" + filter}, environment);
  EXPECT_TRUE(done) << done.error().message;
  if (!done) return "";
  EXPECT_EQ(done->status.code, wanted_status) << done->out << done->err;
  return done->out;
}

std::string tests_in(const std::string& way, const std::string& filter, int wanted_status = 0) {
  return tests_with({"YONDER_LAB_WAY=" + way}, filter, wanted_status);
}

constexpr const char* kSomeTests = "SshdTest.TakesPasswords:SshdTest.HidesPrograms*";

TEST(Ways, NoneMeansThatTestsAreSkippedAndNoPartOfThemRuns) {
  const std::string said = tests_in("none", "SshdTest.*:OtherLab.*:Lab.*", kSkippedStatus);
  EXPECT_THAT(said, HasSubstr("[  PASSED  ] 0 tests."));
  EXPECT_THAT(said, HasSubstr("needs namespaces of its own, which are refused here"));
  EXPECT_THAT(said, Not(HasSubstr("FAILED")));
}

TEST(Ways, ALabThatCannotBeMadeFailsItsTestsAndSaysWhy) {
  const std::string said = tests_with({"TMPDIR=/there/is/none"}, "Lab.MovesTheHome*", 1);
  EXPECT_THAT(said, HasSubstr("the lab could not be made"));
  EXPECT_THAT(said, HasSubstr("/there/is/none"));
  EXPECT_THAT(said, Not(HasSubstr("SKIPPED")));
}

TEST(Ways, AWayThatDoesNotExistFailsTests) {
  EXPECT_THAT(tests_in("by-foot", "Lab.MovesTheHome*", 1), HasSubstr("YONDER_LAB_WAY is by-foot"));
}

TEST(Ways, OneUserIsEnoughForServersKeysAndPasswords) {
  EXPECT_THAT(tests_in("one-user", kSomeTests), HasSubstr("[  PASSED  ] 2 tests."));
}

TEST(Ways, OneUserIsNotEnoughForPam) {
  const std::string said = tests_in("one-user", "SshdTest.AsksForThePassword*", kSkippedStatus);
  EXPECT_THAT(said, HasSubstr("needs PAM: run as root"));
}

TEST(Ways, RootWhoMayNotMountHasANamespaceWithTheSameUsers) {
  need(Need::Users);
  EXPECT_THAT(tests_in("root-in-namespace", kSomeTests), HasSubstr("[  PASSED  ] 2 tests."));
}

}  // namespace
}  // namespace yonder::lab
