#pragma once

#include <string>
#include <vector>

#include "cli/top_state.h"

namespace yonder::cli {

enum class TopTone { Plain, Strong, Dim, Good, Warning, Bad };

struct TopSpan {
  std::string text;
  TopTone tone = TopTone::Plain;
};

struct TopLine {
  std::vector<TopSpan> spans;
  bool chosen = false;  // the cursor is here
};

struct TopSize {
  std::size_t width = 80;
  std::size_t height = 24;
};

// Pure: the whole screen. Never more lines than there are, none wider than it is, and nothing in
// them that a terminal would obey.
std::vector<TopLine> top_draw(const TopKnown& known, const TopView& view, const TopSize& size,
                              const TopTime& now);

// Its parts that have a file of their own; cut to size afterwards.

// All of the machines. `owner` has, of each line, which machine it belongs to.
struct TopMachineLines {
  TopLine header;
  std::vector<TopLine> lines;
  std::vector<std::size_t> owner;
};
TopMachineLines top_draw_machines(const std::vector<const TopMachine*>& machines, std::size_t width,
                                  const TopTime& now);
// `lines` of it, the last at the bottom.
std::vector<TopLine> top_draw_log(const TopKnown& known, const TopView& view, const TopSize& size);
std::vector<TopLine> top_draw_help();

// Whole ones: "8 s", "2m10s".
std::string top_seconds(Duration time);
// "██░░" for a share of 0 to 1, and "?" where there is none.
std::string top_bar(std::optional<double> share, std::size_t width);
// "▁▃█": the last values; a space is one that was not measured.
std::string top_spark(const TopHistory& history, std::size_t width);

}  // namespace yonder::cli
