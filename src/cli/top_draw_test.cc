#include "cli/top_draw.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "cli/cells.h"
#include "cli/top_fixture_test.h"

namespace yonder::cli {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

std::string drawn(const TopKnown& known, const TopView& view = {}, const TopSize& size = {120, 30},
                  Duration later = {}) {
  return top_text(top_draw(known, view, size, top_time(later)));
}

std::size_t widest(const std::vector<TopLine>& lines) {
  std::size_t most = 0;
  for (const auto& line : lines) most = std::max(most, cells_of(top_text({line})) - 1);
  return most;
}

TEST(TopDraw, ShowsMachinesGpusAndRuns) {
  TopKnown known = top_two_machines();
  auto& gpu = resources::gpu_of(*known.machines[1].facts, 1);
  gpu.utilization_pct = resources::Count::of(50);
  const std::string text = drawn(known);
  EXPECT_THAT(text, HasSubstr("2 machines"));
  EXPECT_THAT(text, HasSubstr("2.0 of 4"));
  EXPECT_THAT(text, HasSubstr("██░░░░░░ 4.0 GiB of 16.0 GiB"));
  EXPECT_THAT(text, HasSubstr("100.0 GiB free"));
  EXPECT_THAT(text, HasSubstr("GPU 1  ████░░░░ 50 %"));
  EXPECT_THAT(text, HasSubstr("beta     r-aaaaaa  running           1 min  ./train.sh"));
  EXPECT_THAT(text, HasSubstr("queued (2 ahead)"));
  EXPECT_THAT(text, HasSubstr("Transfers (0"));
}

TEST(TopDraw, NeverShowsZeroForWhatWasNotMeasured) {
  TopKnown known = top_two_machines();
  auto& facts = *known.machines[1].facts;
  facts.memory.available_bytes = resources::Count::missing("hidden");
  facts.cpu.load_1m_milli = resources::Count::missing("hidden");
  auto& gpu = resources::gpu_of(facts, 0);
  gpu.utilization_pct = resources::Count::missing("[N/A]");
  gpu.memory_used_bytes = resources::Count::missing("[N/A]");
  const std::string text = drawn(known);
  EXPECT_THAT(text, HasSubstr("alpha    ?      ?        ? of 4"));
  EXPECT_THAT(text, HasSubstr("GPU 0  ?        ?"));
  EXPECT_THAT(text, HasSubstr("? of 40.0 GiB"));
  facts.gpus.list = resources::Measured<std::vector<resources::Gpu>>::missing("nvidia-smi hangs");
  EXPECT_THAT(drawn(known), HasSubstr("GPUs: ? (nvidia-smi hangs)"));
}

TEST(TopDraw, ShowsWhoHasAGpuOnAnOrdinaryTerminal) {
  TopKnown known = top_two_machines();
  auto& facts = *known.machines[1].facts;
  resources::gpu_of(facts, 0).lease =
      resources::Lease{.run_id = "r-abcdefgh", .user = "alice", .since_ms = kTopWall};
  resources::gpu_of(facts, 0).name = "NVIDIA GeForce RTX 4090 Laptop GPU";
  for (const std::size_t width : {80U, 120U, 200U}) {
    const std::string text = drawn(known, {}, {width, 24});
    EXPECT_THAT(text, HasSubstr("alice r-abcdefgh")) << text;
    EXPECT_THAT(text, HasSubstr("1 of 2 free")) << text;
    EXPECT_THAT(text, HasSubstr(" free ")) << text;
  }
  EXPECT_THAT(drawn(known, {}, {120, 24}), HasSubstr("NVIDIA GeForce RTX"));
  facts.gpus.queue.push_back({.run_id = "r-2", .user = "bob", .gpus = 2});
  EXPECT_THAT(drawn(known, {}, {80, 24}), HasSubstr("0 of 2 free, 1 waiting"));
  EXPECT_THAT(drawn(known, {}, {80, 24}), HasSubstr("for bob, who waits"));
}

TEST(TopDraw, CallsNothingFreeWhileLeasesCannotBeSeen) {
  TopKnown known = top_two_machines();
  known.machines[1].facts->gpus.lease_problem = "somebody holds the lock";
  const std::string text = drawn(known);
  EXPECT_THAT(text, HasSubstr("? of 2 free"));
  EXPECT_THAT(text, Not(HasSubstr(" free  A100")));
}

TEST(TopDraw, ShowsTheLastValuesOfASilentMachineAsOld) {
  TopKnown known = top_two_machines();
  top_asked(known.machines[0], top_time(seconds(2)).steady);
  top_asked_tasks(known.machines[0], top_time(seconds(2)).steady);
  const std::string text = drawn(known, {}, {120, 30}, seconds(10));
  EXPECT_THAT(text, HasSubstr("(10 s old) no answer for 8 s"));
  EXPECT_THAT(text, HasSubstr("1 does not answer"));
  EXPECT_THAT(text, HasSubstr("running 10 s ago"));
  const auto lines = top_draw(known, {}, {120, 30}, top_time(seconds(10)));
  for (const auto& line : lines) {
    if (top_text({line}).find("beta ") != 0 || line.spans.size() < 3) continue;
    for (const auto& span : line.spans) EXPECT_EQ(span.tone, TopTone::Dim) << span.text;
  }
}

TEST(TopDraw, SaysWhyAMachineCannotBeReached) {
  TopKnown known;
  known.listed = true;
  TopMachine machine;
  machine.name = "down";
  known.machines.push_back(machine);
  EXPECT_THAT(drawn(known), HasSubstr("asking"));
  top_asked(known.machines[0], top_time().steady);
  top_answered(
      known.machines[0],
      {.facts = {}, .error = Error{Errc::Unreachable, "no\nroute", "is it on?"}, .age = {}},
      top_time().steady);
  EXPECT_THAT(drawn(known), HasSubstr("down     cannot be reached: no / route; is it on?"));
  EXPECT_THAT(drawn(known, {}, {120, 30}, seconds(20)), HasSubstr("cannot be reached for 20 s"));
}

TEST(TopDraw, FitsIntoEverySize) {
  TopKnown known = top_two_machines();
  known.machines[0].name = "機械" + std::string(100, 'x');
  known.machines[0].tasks[0].command = std::string(500, 'y') + "械";
  known.trouble = std::string(300, 'z');
  known.log.emplace("alpha", "r-1");
  known.log->add(std::string(1000, 'l') + "\n機械\n");
  for (std::size_t width = 1; width < 170; width += 3) {
    for (std::size_t height = 1; height < 40; height += 5) {
      for (const bool log : {false, true}) {
        TopView view;
        view.log = log;
        view.help = !log && height % 2 == 0;
        const auto lines = top_draw(known, view, {width, height}, top_time());
        EXPECT_LE(lines.size(), height) << width;
        EXPECT_LE(widest(lines), width) << height;
      }
    }
  }
  EXPECT_THAT(drawn(known, {}, {30, 8}), HasSubstr("too small"));
}

TEST(TopDraw, LetsNothingThroughThatATerminalWouldObey) {
  TopKnown known = top_two_machines();
  known.machines[1].name = "al\x1b[2Jpha";
  known.machines[0].tasks[0].command = "echo \x1b]0;title\x07";
  resources::gpu_of(*known.machines[1].facts, 0).name = "A100\x1b[31m";
  known.trouble = "bad\x1b[1m";
  TopView view;
  EXPECT_THAT(drawn(known, view), Not(HasSubstr("\x1b")));
  EXPECT_THAT(drawn(known, view), HasSubstr("al\\x1b[2Jpha"));
  view.filter = "\x1b";
  EXPECT_THAT(drawn(known, view), Not(HasSubstr("\x1b")));
}

TEST(TopDraw, KeepsTheChosenRowInSight) {
  TopKnown known;
  known.listed = true;
  for (int i = 10; i < 60; ++i) known.machines.push_back(top_machine(concat("m", i), 1));
  TopView view;
  view.chosen[0] = "m55";
  const auto lines = top_draw(known, view, {100, 24}, top_time());
  const auto found =
      std::find_if(lines.begin(), lines.end(), [](const TopLine& line) { return line.chosen; });
  ASSERT_NE(found, lines.end());
  EXPECT_THAT(top_text({*found}), HasSubstr("m55"));
}

TEST(TopDraw, ShowsTheEndOfALogAndWhatIsAboveIt) {
  TopKnown known;
  known.log.emplace("alpha", "r-1");
  for (int i = 0; i < 100; ++i) known.log->add(concat("line ", i, "\n"));
  TopView view;
  view.log = true;
  EXPECT_THAT(drawn(known, view), HasSubstr("line 98\nline 99\n"));
  view.log_back = 50;
  EXPECT_THAT(drawn(known, view), HasSubstr("line 49\nline 50\n"));
  EXPECT_THAT(drawn(known, view), Not(HasSubstr("line 60")));
  known.log->end("The run exited with 3.");
  view.log_back = 0;
  EXPECT_THAT(drawn(known, view), HasSubstr("line 99\nThe run exited with 3.\n"));
}

TEST(TopDraw, BarsAndSparks) {
  EXPECT_EQ(top_bar(0.0, 4), "░░░░");
  EXPECT_EQ(top_bar(0.5, 4), "██░░");
  EXPECT_EQ(top_bar(7.0, 4), "████");
  EXPECT_EQ(top_bar(std::nullopt, 4), "?   ");
  EXPECT_EQ(top_spark({0, std::nullopt, 50, 100}, 5), " ▁ ▄█");
  EXPECT_EQ(top_spark({0, 0, 100}, 2), "▁█");
}

}  // namespace
}  // namespace yonder::cli
