#include "cli/top_once.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top_fixture_test.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TopKnown with_a_failure() {
  TopKnown known = top_two_machines();
  TopMachine down;
  down.name = "down";
  top_answered(down, {.facts = {}, .error = Error{Errc::Unreachable, "no route", ""}, .age = {}},
               top_time().steady);
  known.machines.push_back(down);
  return known;
}

TEST(TopOnce, PrintsATableOfEach) {
  const std::string text = top_tables(with_a_failure(), 200, false, top_time());
  EXPECT_THAT(text, StartsWith("MACHINE  IDLE   CPU       MEM"));
  EXPECT_THAT(text, HasSubstr("down     -      -         -"));
  EXPECT_THAT(text, HasSubstr("failed: no route"));
  EXPECT_THAT(text, HasSubstr("alpha    1    A100  0 %"));
  EXPECT_THAT(text, HasSubstr("beta     r-aaaaaa  running"));
}

TEST(TopOnce, TellsProgramsWhatEachLineIs) {
  const auto rows = top_fields(with_a_failure(), top_time());
  std::vector<std::string> kinds;
  for (const auto& row : rows) kinds.push_back(row.front());
  EXPECT_THAT(kinds, ElementsAre("machine", "machine", "machine", "gpu", "gpu", "run", "run"));
  EXPECT_THAT(rows[2], ElementsAre("machine", "down", "-", "-", "-", "-", "-", "failed: no route"));
  EXPECT_EQ(rows[5][2], "r-aaaaaaaaaaaaaaaa");
}

TEST(TopOnce, AsJsonHasNullForWhatIsNotKnown) {
  TopKnown known = with_a_failure();
  TopMachine unheard;
  unheard.name = "unheard";
  known.machines.push_back(unheard);
  const Json json = top_json(known, top_time(std::chrono::seconds(1)));
  ASSERT_EQ(json["machines"].size(), 4U);
  const Json& alpha = json["machines"][0];
  EXPECT_EQ(alpha["name"], "alpha");
  EXPECT_EQ(alpha["reachable"], true);
  EXPECT_EQ(alpha["measured_ms_ago"], 1000);
  EXPECT_EQ(alpha["gpu"].size(), 2U);
  EXPECT_TRUE(alpha["error"].is_null());
  const Json& down = json["machines"][2];
  EXPECT_EQ(down["reachable"], false);
  EXPECT_EQ(down["error"]["message"], "no route");
  EXPECT_FALSE(down.contains("cpu"));
  EXPECT_TRUE(json["machines"][3]["reachable"].is_null());
  EXPECT_EQ(json["runs"].size(), 2U);
  EXPECT_EQ(json["runs"][0]["state"], "running");
  EXPECT_EQ(json["transfers"].size(), 0U);
}

}  // namespace
}  // namespace yonder::cli
