#include "cli/top_keys.h"

#include <algorithm>

#include "cli/top_rows.h"

namespace yonder::cli {
namespace {

using Kind = TopKey::Kind;

constexpr std::size_t kPage = 10;
constexpr std::size_t kLongestFilter = 100;

enum class Move { None, Up, Down, PageUp, PageDown, First, Last };

Move move_of(const TopKey& key) {
  switch (key.kind) {
    case Kind::Up: return Move::Up;
    case Kind::Down: return Move::Down;
    case Kind::PageUp: return Move::PageUp;
    case Kind::PageDown: return Move::PageDown;
    case Kind::Home: return Move::First;
    case Kind::End: return Move::Last;
    case Kind::Text: break;
    default: return Move::None;
  }
  if (key.text == "k") return Move::Up;
  if (key.text == "j") return Move::Down;
  if (key.text == "g") return Move::First;
  if (key.text == "G") return Move::Last;
  return Move::None;
}

// From `at`, of which the last is `last`.
std::size_t moved(std::size_t at, std::size_t last, Move move) {
  switch (move) {
    case Move::Up: return at - std::min<std::size_t>(at, 1);
    case Move::Down: return std::min(at + 1, last);
    case Move::PageUp: return at - std::min(at, kPage);
    case Move::PageDown: return std::min(at + kPage, last);
    case Move::First: return 0;
    case Move::Last: return last;
    case Move::None: break;
  }
  return at;
}

void erase_last_character(std::string& text) {
  while (!text.empty()) {
    const auto byte = static_cast<unsigned char>(text.back());
    text.pop_back();
    if ((byte & 0xC0U) != 0x80U) return;
  }
}

void type(TopView& view, const TopKey& key) {
  switch (key.kind) {
    case Kind::Text:
      if (view.filter.size() < kLongestFilter) view.filter += key.text;
      break;
    case Kind::Backspace: erase_last_character(view.filter); break;
    case Kind::Enter: view.typing = false; break;
    case Kind::Escape:
      view.typing = false;
      view.filter.clear();
      break;
    default: break;
  }
}

void move_cursor(const TopKnown& known, TopView& view, Move move) {
  const auto keys = top_keys_of(known, view, view.pane);
  if (keys.empty()) return;
  const std::size_t at = top_cursor(known, view, view.pane);
  view.chosen_here() = keys[moved(at, keys.size() - 1, move)];
}

void switch_pane(TopView& view, std::size_t by) {
  view.pane = static_cast<TopPane>((static_cast<std::size_t>(view.pane) + by) % kTopPanes);
}

// In a log, up is away from its end.
TopStep in_log(const TopKnown& known, TopStep step, const TopKey& key) {
  if (key.kind == Kind::Escape || key.text == "q") {
    step.view.log = false;
    step.view.log_back = 0;
    step.action = TopAction::CloseLog;
    return step;
  }
  const std::size_t lines = known.log ? known.log->lines().size() : 0;
  const std::size_t last = lines == 0 ? 0 : lines - 1;
  const std::size_t at = last - std::min(last, step.view.log_back);
  step.view.log_back = last - moved(at, last, move_of(key));
  return step;
}

void open_log(const TopKnown& known, TopStep& step) {
  if (step.view.pane != TopPane::Runs) return;
  const auto runs = top_runs(known, step.view);
  if (runs.empty()) return;
  const TopRun& run = runs[top_cursor(known, step.view, TopPane::Runs)];
  step.run_id = run.task->run_id.str();
  step.machine = run.task->sandbox;
  step.view.chosen_here() = step.run_id;
  step.view.log = true;
  step.view.log_back = 0;
  step.action = TopAction::OpenLog;
}

void on_text(TopStep& step, const std::string& text) {
  TopView& view = step.view;
  if (text == "q") step.action = TopAction::Quit;
  if (text == "?") view.help = true;
  if (text == "/") view.typing = true;
  if (text == "s") {
    std::size_t& order = view.order.at(static_cast<std::size_t>(view.pane));
    order = (order + 1) % top_orders(view.pane).size();
  }
}

}  // namespace

TopStep top_press(const TopKnown& known, TopView view, const TopKey& key) {
  TopStep step{.view = std::move(view), .action = TopAction::None, .run_id = {}, .machine = {}};
  if (step.view.typing) {
    type(step.view, key);
    return step;
  }
  if (step.view.help) {
    step.view.help = false;  // whichever key it was
    return step;
  }
  if (step.view.log) return in_log(known, std::move(step), key);
  const Move move = move_of(key);
  if (move != Move::None) {
    move_cursor(known, step.view, move);
    return step;
  }
  switch (key.kind) {
    case Kind::Tab: switch_pane(step.view, 1); break;
    case Kind::BackTab: switch_pane(step.view, kTopPanes - 1); break;
    case Kind::Enter: open_log(known, step); break;
    case Kind::Escape: step.view.filter.clear(); break;
    default: on_text(step, key.text); break;
  }
  return step;
}

}  // namespace yonder::cli
