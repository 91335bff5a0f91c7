#include "cli/top_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/top_fixture_test.h"
#include "cli/top_rows.h"

namespace yonder::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = TopKey::Kind;

class TopKeys : public ::testing::Test {
 protected:
  TopAction press(Kind kind) { return press(TopKey{kind, ""}); }
  TopAction press(const char* text) { return press(TopKey{Kind::Text, text}); }
  TopAction press(const TopKey& key) {
    last_ = top_press(known_, view_, key);
    view_ = last_.view;
    return last_.action;
  }
  void type(const std::string& text) {
    for (const char letter : text) press(TopKey{Kind::Text, std::string(1, letter)});
  }
  std::vector<std::string> rows() const { return top_keys_of(known_, view_, view_.pane); }
  std::size_t cursor() const { return top_cursor(known_, view_, view_.pane); }

  TopKnown known_ = top_two_machines();
  TopView view_;
  TopStep last_;
};

TEST_F(TopKeys, MoveTheCursorAndStopAtTheEnds) {
  EXPECT_THAT(rows(), ElementsAre("alpha", "beta"));
  EXPECT_EQ(cursor(), 0U);
  press(Kind::Up);
  EXPECT_EQ(cursor(), 0U);
  press("j");
  EXPECT_EQ(cursor(), 1U);
  press(Kind::Down);
  press(Kind::PageDown);
  EXPECT_EQ(cursor(), 1U);
  press("k");
  EXPECT_EQ(cursor(), 0U);
  press("G");
  EXPECT_EQ(cursor(), 1U);
  press("g");
  EXPECT_EQ(cursor(), 0U);
}

TEST_F(TopKeys, TheCursorStaysOnItsRowWhenOthersComeAndGo) {
  press("j");
  known_.machines.push_back(top_machine("aardvark", 0));
  EXPECT_EQ(rows()[cursor()], "beta");
  std::erase_if(known_.machines, [](const auto& machine) { return machine.name == "beta"; });
  EXPECT_EQ(cursor(), 0U);
  known_.machines.clear();
  press("j");
  EXPECT_EQ(cursor(), 0U);
}

TEST_F(TopKeys, TabGoesAroundThePanes) {
  press(Kind::Tab);
  EXPECT_EQ(view_.pane, TopPane::Runs);
  press(Kind::Tab);
  EXPECT_EQ(view_.pane, TopPane::Transfers);
  press(Kind::Tab);
  EXPECT_EQ(view_.pane, TopPane::Machines);
  press(Kind::BackTab);
  EXPECT_EQ(view_.pane, TopPane::Transfers);
}

TEST_F(TopKeys, SGoesThroughTheOrdersOfThePane) {
  // The busy one has half of its memory.
  known_.machines[1].facts->memory.available_bytes = resources::Count::of(8 * resources::kGiB);
  press("s");  // idle
  EXPECT_THAT(rows(), ElementsAre("beta", "alpha"));
  press("s");  // load: both the same
  press("s");  // memory
  EXPECT_THAT(rows(), ElementsAre("alpha", "beta"));
  known_.machines[1].facts->memory.available_bytes = resources::Count::missing("hidden");
  EXPECT_THAT(rows(), ElementsAre("beta", "alpha"));
  press("s");
  press("s");
  EXPECT_EQ(view_.order[0], 0U);
  press(Kind::Tab);
  EXPECT_THAT(rows(), ElementsAre("r-aaaaaaaaaaaaaaaa", "r-bbbbbbbbbbbbbbbb"));
  press("s");  // machine
  EXPECT_THAT(rows(), ElementsAre("r-bbbbbbbbbbbbbbbb", "r-aaaaaaaaaaaaaaaa"));
}

TEST_F(TopKeys, SlashTypesAFilterThatEscapeClears) {
  press("/");
  type("ALqé");
  EXPECT_TRUE(view_.typing);
  EXPECT_THAT(rows(), IsEmpty());
  press(Kind::Backspace);
  press(Kind::Backspace);
  EXPECT_THAT(rows(), ElementsAre("alpha"));
  press(Kind::Enter);
  EXPECT_FALSE(view_.typing);
  EXPECT_EQ(view_.filter, "AL");
  press(Kind::Escape);
  EXPECT_EQ(view_.filter, "");
  press("/");
  type("q");
  EXPECT_EQ(press(Kind::Escape), TopAction::None);
  EXPECT_FALSE(view_.typing);
  EXPECT_EQ(view_.filter, "");
}

TEST_F(TopKeys, EnterOnARunOpensItsLogAndQComesBack) {
  EXPECT_EQ(press(Kind::Enter), TopAction::None);  // on a machine
  press(Kind::Tab);
  press("j");
  EXPECT_EQ(press(Kind::Enter), TopAction::OpenLog);
  EXPECT_EQ(last_.run_id, "r-bbbbbbbbbbbbbbbb");
  EXPECT_EQ(last_.machine, "alpha");
  EXPECT_TRUE(view_.log);
  known_.log.emplace("alpha", "r-bbbbbbbbbbbbbbbb");
  known_.log->add("1\n2\n3\n");
  press("k");
  press(Kind::Up);
  EXPECT_EQ(view_.log_back, 2U);
  press(Kind::PageUp);
  EXPECT_EQ(view_.log_back, 3U);
  press("G");
  EXPECT_EQ(view_.log_back, 0U);
  EXPECT_EQ(press("q"), TopAction::CloseLog);
  EXPECT_FALSE(view_.log);
  EXPECT_EQ(press("q"), TopAction::Quit);
}

TEST_F(TopKeys, AnyKeyLeavesTheHelp) {
  press("?");
  EXPECT_TRUE(view_.help);
  EXPECT_EQ(press("q"), TopAction::None);
  EXPECT_FALSE(view_.help);
}

TEST(TopRows, ARunThatTwoNamesOfAMachineShowIsListedOnce) {
  TopKnown known = top_two_machines();
  known.machines[1].tasks = known.machines[0].tasks;
  EXPECT_EQ(top_runs(known, TopView()).size(), 1U);
}

}  // namespace
}  // namespace yonder::cli
