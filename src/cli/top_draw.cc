#include "cli/top_draw.h"

#include <algorithm>

#include "base/text.h"
#include "cli/cells.h"
#include "cli/one_line.h"
#include "cli/ps_table.h"
#include "cli/run_words.h"
#include "cli/top_rows.h"
#include "cli/transfers_table.h"

namespace yonder::cli {
namespace {

constexpr TopSize kSmallest{.width = 40, .height = 10};

using Lines = std::vector<TopLine>;

TopLine line_of(std::string text, TopTone tone = TopTone::Plain) {
  return {.spans = {{std::move(text), tone}}};
}

void cut(TopLine& line, std::size_t width) {
  std::size_t left = width;
  for (auto& span : line.spans) {
    span.text = fit_cells(span.text, left);
    left -= cells_of(span.text);
  }
  std::erase_if(line.spans, [](const TopSpan& span) { return span.text.empty(); });
}

// Which part of `count` lines is seen so that those from `first` to `last` are.
std::size_t first_seen(std::size_t first, std::size_t last, std::size_t height) {
  if (last < height) return 0;
  return std::min(first, last + 1 - height);
}

// A pane: its title, and as many lines as there is room for.
struct Pane {
  Lines head;
  Lines body;
  std::size_t chosen_first = 0;  // of the body, what must be seen
  std::size_t chosen_last = 0;

  std::size_t wanted() const { return head.size() + body.size(); }
  void put(Lines& out, std::size_t height) const {
    const std::size_t heads = std::min(head.size(), height);
    out.insert(out.end(), head.begin(), head.begin() + static_cast<std::ptrdiff_t>(heads));
    const std::size_t room = height - heads;
    const std::size_t from = room == 0 ? 0 : first_seen(chosen_first, chosen_last, room);
    for (std::size_t i = 0; i < room; ++i) {
      out.push_back(from + i < body.size() ? body[from + i] : TopLine{});
    }
  }
};

TopLine title(const char* name, std::size_t count, const TopView& view, TopPane pane) {
  const bool here = view.pane == pane;
  const std::string& order = top_orders(pane).at(view.order_in(pane));
  return line_of(concat(here ? "▶ " : "  ", name, " (", count, ", by ", order, ")"),
                 here ? TopTone::Strong : TopTone::Plain);
}

void choose(Pane& pane, std::size_t first, std::size_t last, bool here) {
  pane.chosen_first = first;
  pane.chosen_last = last;
  if (here && first < pane.body.size()) pane.body[first].chosen = true;
}

Pane machines_pane(const TopKnown& known, const TopView& view, std::size_t width,
                   const TopTime& now) {
  const auto machines = top_machines(known, view);
  Pane pane;
  pane.head.push_back(title("Machines", machines.size(), view, TopPane::Machines));
  if (machines.empty()) {
    pane.body.push_back(line_of(known.listed ? "  none" : "  looking", TopTone::Dim));
    return pane;
  }
  TopMachineLines drawn = top_draw_machines(machines, width, now);
  pane.head.push_back(std::move(drawn.header));
  pane.body = std::move(drawn.lines);
  const std::size_t cursor = top_cursor(known, view, TopPane::Machines);
  const auto range = std::equal_range(drawn.owner.begin(), drawn.owner.end(), cursor);
  choose(pane, static_cast<std::size_t>(range.first - drawn.owner.begin()),
         static_cast<std::size_t>(range.second - drawn.owner.begin()) - 1,
         view.pane == TopPane::Machines);
  return pane;
}

// A table as lines: the first is its header.
void add_table(Pane& pane, const Row& header, const std::vector<Row>& rows, std::size_t width) {
  const auto lines = split(aligned_table(header, rows, width, false), '\n');
  pane.head.push_back(line_of(lines.front(), TopTone::Dim));
  for (std::size_t i = 1; i <= rows.size(); ++i) pane.body.push_back(line_of(lines.at(i)));
}

// What was said of it too long ago to be true now is not shown as if it were.
std::string run_state(const TopRun& run, const TopTime& now) {
  std::string state = task_state(*run.task, now.wall_ms);
  const bool silent = top_silence(run.machine->tasks_waited, now.steady).has_value();
  if (!silent || run.task->seen_ms || !run.machine->tasks_seen) return state;
  return concat(state, " ", top_seconds(now.steady - *run.machine->tasks_seen), " ago");
}

TopTone tone_of(RunState state) {
  switch (state) {
    case RunState::Running: return TopTone::Good;
    case RunState::Queued: return TopTone::Warning;
    case RunState::Unknown: return TopTone::Dim;
    default: return TopTone::Plain;
  }
}

Pane runs_pane(const TopKnown& known, const TopView& view, std::size_t width, const TopTime& now) {
  const auto runs = top_runs(known, view);
  Pane pane;
  pane.head.push_back(title("Runs", runs.size(), view, TopPane::Runs));
  if (runs.empty()) {
    pane.body.push_back(line_of("  none", TopTone::Dim));
    return pane;
  }
  std::vector<std::string> ids;
  for (const auto& run : runs) ids.push_back(run.task->run_id.str());
  ids = short_ids(ids);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ops::TaskInfo& task = *runs[i].task;
    rows.push_back({one_line(task.sandbox), one_line(ids[i]), run_state(runs[i], now),
                    task.created_ms > 0 ? age(task.created_ms, now.wall_ms) : "-",
                    task_command(task)});
  }
  add_table(pane, {"MACHINE", "RUN", "STATE", "AGE", "COMMAND"}, rows, width);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    pane.body[i].spans.front().tone = tone_of(runs[i].task->status.state);
  }
  const std::size_t cursor = top_cursor(known, view, TopPane::Runs);
  choose(pane, cursor, cursor, view.pane == TopPane::Runs);
  return pane;
}

Pane transfers_pane(const TopKnown& known, const TopView& view, std::size_t width,
                    const TopTime& now) {
  const auto transfers = top_transfers(known, view);
  Pane pane;
  pane.head.push_back(title("Transfers", transfers.size(), view, TopPane::Transfers));
  if (transfers.empty()) return pane;
  std::vector<Row> rows;
  for (const auto* transfer : transfers) rows.push_back(transfer_row(*transfer, now.wall_ms));
  add_table(pane, transfers_header(), rows, width);
  const std::size_t cursor = top_cursor(known, view, TopPane::Transfers);
  choose(pane, cursor, cursor, view.pane == TopPane::Transfers);
  return pane;
}

// Machines may have three fifths, transfers a fifth, runs whatever is left; who needs less leaves
// it to the others.
void put_panes(Lines& out, const TopKnown& known, const TopView& view, const TopSize& body,
               const TopTime& now) {
  const Pane machines = machines_pane(known, view, body.width, now);
  const Pane runs = runs_pane(known, view, body.width, now);
  const Pane transfers = transfers_pane(known, view, body.width, now);
  constexpr std::size_t kOneTransfer = 3;
  const std::size_t below = std::min(transfers.wanted(), std::max(kOneTransfer, body.height / 5));
  const std::size_t rest = body.height - std::min(below, body.height);
  const std::size_t spare = rest - std::min(rest, runs.wanted());
  const std::size_t above = std::min(machines.wanted(), std::max(spare, rest * 3 / 5));
  machines.put(out, above);
  runs.put(out, rest - above);
  transfers.put(out, body.height - rest);
}

TopLine top_line(const TopKnown& known, const TopTime& now) {
  const bool whole = known.interval % std::chrono::seconds(1) == Duration::zero();
  const auto silent =
      std::count_if(known.machines.begin(), known.machines.end(), [&](const TopMachine& machine) {
        return machine.error || top_silence(machine.unanswered, now.steady);
      });
  const std::string quiet =
      silent == 0 ? "" : concat(", ", silent, silent == 1 ? " does" : " do", " not answer");
  TopLine line{.spans = {{concat("yonder top  ", known.machines.size(),
                                 known.machines.size() == 1 ? " machine" : " machines"),
                          TopTone::Strong},
                         {quiet, TopTone::Bad},
                         {concat(", every ", whole ? top_seconds(known.interval)
                                                   : lasted(to_seconds(known.interval))),
                          TopTone::Dim}}};
  if (!known.trouble.empty()) {
    line.spans.push_back({"  " + one_line(known.trouble), TopTone::Bad});
  }
  return line;
}

TopLine bottom_line(const TopView& view) {
  const std::string filter = one_line(view.filter);
  if (view.typing) return line_of(concat("/", filter, "▏ enter: keep, esc: clear"));
  if (view.help) return line_of("any key: back", TopTone::Dim);
  if (view.log) return line_of("q: back  j/k: scroll  G: follow", TopTone::Dim);
  const std::string keys = "q: quit  tab: pane  s: sort  /: filter  enter: log  ?: help";
  if (filter.empty()) return line_of(keys, TopTone::Dim);
  return {.spans = {{concat("filter: ", filter, " (esc clears)  "), TopTone::Warning},
                    {keys, TopTone::Dim}}};
}

}  // namespace

std::vector<TopLine> top_draw_log(const TopKnown& known, const TopView& view, const TopSize& size) {
  Lines lines;
  if (!known.log || size.height == 0) return lines;
  const TopLog& log = *known.log;
  lines.push_back(line_of(concat("Log of ", one_line(log.run_id()), " on ", one_line(log.machine()),
                                 view.log_back == 0 ? "" : " (not at its end; G follows it)"),
                          TopTone::Strong));
  const bool at_end = view.log_back == 0;
  Lines body;
  if (at_end && !log.note().empty())
    body.push_back(line_of(one_line(log.note()), TopTone::Warning));
  const std::size_t room = size.height - 1;
  const auto& all = log.lines();
  std::size_t left = all.size() - std::min(all.size(), view.log_back);
  if (at_end && left > 0 && all.back().empty()) --left;
  // From the end backwards, because lines that are wrapped need more than one.
  for (; left > 0 && body.size() < room; --left) {
    const auto pieces = wrap_cells(all[left - 1], size.width);
    for (auto piece = pieces.rbegin(); piece != pieces.rend() && body.size() < room; ++piece) {
      body.push_back(line_of(*piece));
    }
  }
  lines.insert(lines.end(), body.rbegin(), body.rend());
  return lines;
}

std::vector<TopLine> top_draw_help() {
  Lines lines;
  for (const char* text :
       {"Keys", "", "  j k, arrows    move; page up, page down, g, G: further",
        "  tab            next pane: machines, runs, transfers",
        "  s              next order of this pane",
        "  /              show only what has this in it", "  esc            show all again",
        "  enter          on a run: follow its log", "  q              back, or quit", "",
        "What is shown", "", "  IDLE 1 is a machine with nothing to do, 0 one that is fully used.",
        "  ██░░ is how much is used; ▁▃█ how busy a GPU was at the last looks.",
        "  ? was not measured. Dim values are old: the line below says how old."}) {
    lines.push_back(line_of(text));
  }
  return lines;
}

std::vector<TopLine> top_draw(const TopKnown& known, const TopView& view, const TopSize& size,
                              const TopTime& now) {
  Lines lines;
  if (size.width < kSmallest.width || size.height < kSmallest.height) {
    for (const auto& piece :
         wrap_cells(concat("This terminal is too small: ", size.width, "x", size.height, ", not ",
                           kSmallest.width, "x", kSmallest.height, ". q quits."),
                    std::max<std::size_t>(size.width, 1))) {
      lines.push_back(line_of(piece));
    }
    lines.resize(std::min(lines.size(), size.height));
    return lines;
  }
  const TopSize body{.width = size.width, .height = size.height - 2};
  lines.push_back(top_line(known, now));
  if (view.help) {
    for (auto& line : top_draw_help()) lines.push_back(std::move(line));
  } else if (view.log) {
    for (auto& line : top_draw_log(known, view, body)) lines.push_back(std::move(line));
  } else {
    put_panes(lines, known, view, body, now);
  }
  lines.resize(size.height - 1);
  lines.push_back(bottom_line(view));
  for (auto& line : lines) cut(line, size.width);
  return lines;
}

}  // namespace yonder::cli
