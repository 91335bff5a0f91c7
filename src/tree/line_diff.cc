#include "tree/line_diff.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kContext = 3;
constexpr std::ptrdiff_t kMaxChanges = 800;  // the search remembers their square

using Lines = std::vector<std::string_view>;

Lines split_lines(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return lines;
}

// One run of lines of the old text that others take the place of.
struct Change {
  std::size_t old_at = 0;
  std::size_t old_count = 0;
  std::size_t new_at = 0;
  std::size_t new_count = 0;
};

// The greedy search for the shortest way of removals and insertions from one text to the other: for
// each number of steps, how far every diagonal gets.
class Search {
 public:
  Search(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  // Empty when it takes too many steps.
  std::vector<Change> changes() {
    const auto last = std::min<std::ptrdiff_t>(
        kMaxChanges, static_cast<std::ptrdiff_t>(before_.size() + after_.size()));
    std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * last + 3), 0);
    for (std::ptrdiff_t steps = 0; steps <= last; ++steps) {
      for (std::ptrdiff_t k = -steps; k <= steps; k += 2) {
        const auto at = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t& {
          return reach[static_cast<std::size_t>(diagonal + last + 1)];
        };
        const bool down = k == -steps || (k != steps && at(k - 1) < at(k + 1));
        std::ptrdiff_t x = down ? at(k + 1) : at(k - 1) + 1;
        while (same(x, x - k)) ++x;
        at(k) = x;
        if (x >= old_size() && x - k >= new_size()) return walk_back(steps);
      }
      trace_.emplace_back(reach.begin() + (last + 1 - steps), reach.begin() + (last + 2 + steps));
    }
    return {};
  }

 private:
  std::ptrdiff_t old_size() const { return static_cast<std::ptrdiff_t>(before_.size()); }
  std::ptrdiff_t new_size() const { return static_cast<std::ptrdiff_t>(after_.size()); }
  bool same(std::ptrdiff_t x, std::ptrdiff_t y) const {
    return x < old_size() && y < new_size() &&
           before_[static_cast<std::size_t>(x)] == after_[static_cast<std::size_t>(y)];
  }

  // From the end, by what was reached with one step less each.
  std::vector<Change> walk_back(std::ptrdiff_t steps) {
    std::vector<Change> changes;
    std::ptrdiff_t x = old_size();
    std::ptrdiff_t y = new_size();
    for (; steps > 0; --steps) {
      const auto& reach = trace_[static_cast<std::size_t>(steps - 1)];
      const std::ptrdiff_t k = x - y;
      const auto at = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t {
        const std::ptrdiff_t i = diagonal + steps - 1;
        return i < 0 || i >= static_cast<std::ptrdiff_t>(reach.size())
                   ? -1
                   : reach[static_cast<std::size_t>(i)];
      };
      const bool down = k == -steps || (k != steps && at(k - 1) < at(k + 1));
      x = down ? at(k + 1) : at(k - 1);
      y = x - (down ? k + 1 : k - 1);
      add(changes, static_cast<std::size_t>(x), static_cast<std::size_t>(y), down);
    }
    std::reverse(changes.begin(), changes.end());
    return changes;
  }

  // Neighbouring steps are one change. They come from the last to the first.
  static void add(std::vector<Change>& changes, std::size_t x, std::size_t y, bool inserted) {
    const Change step{x, inserted ? 0U : 1U, y, inserted ? 1U : 0U};
    if (!changes.empty()) {
      Change& next = changes.back();
      if (x + step.old_count == next.old_at && y + step.new_count == next.new_at) {
        next = {x, next.old_count + step.old_count, y, next.new_count + step.new_count};
        return;
      }
    }
    changes.push_back(step);
  }

  const Lines& before_;
  const Lines& after_;
  std::vector<std::vector<std::ptrdiff_t>> trace_;
};

std::vector<Change> find_changes(const Lines& before, const Lines& after) {
  // What is the same at both ends needs no search.
  std::size_t head = 0;
  while (head < before.size() && head < after.size() && before[head] == after[head]) ++head;
  std::size_t tail = 0;
  while (tail < before.size() - head && tail < after.size() - head &&
         before[before.size() - 1 - tail] == after[after.size() - 1 - tail]) {
    ++tail;
  }
  const Lines old_middle(before.begin() + static_cast<std::ptrdiff_t>(head),
                         before.end() - static_cast<std::ptrdiff_t>(tail));
  const Lines new_middle(after.begin() + static_cast<std::ptrdiff_t>(head),
                         after.end() - static_cast<std::ptrdiff_t>(tail));
  if (old_middle.empty() && new_middle.empty()) return {};
  std::vector<Change> changes = Search(old_middle, new_middle).changes();
  if (changes.empty()) changes = {{0, old_middle.size(), 0, new_middle.size()}};
  for (Change& change : changes) {
    change.old_at += head;
    change.new_at += head;
  }
  return changes;
}

class Printer {
 public:
  Printer(const Lines& before, const Lines& after) : before_(before), after_(after) {}

  // Changes first..last have so little between them that they are shown together.
  std::string hunk(const Change* first, const Change* last) const {
    const std::size_t old_from = first->old_at - std::min(first->old_at, kContext);
    const std::size_t new_from = first->new_at - (first->old_at - old_from);
    const std::size_t old_end = std::min(last->old_at + last->old_count + kContext, before_.size());
    const std::size_t new_end =
        last->new_at + last->new_count + (old_end - last->old_at - last->old_count);
    std::string text =
        concat("@@ -", range(old_from, old_end), " +", range(new_from, new_end), " @@\n");
    std::size_t at = old_from;
    for (const Change* change = first; change <= last; ++change) {
      for (; at < change->old_at; ++at) put(text, ' ', before_[at]);
      for (std::size_t i = 0; i < change->old_count; ++i) put(text, '-', before_[at++]);
      for (std::size_t i = 0; i < change->new_count; ++i) {
        put(text, '+', after_[change->new_at + i]);
      }
    }
    for (; at < old_end; ++at) put(text, ' ', before_[at]);
    return text;
  }

 private:
  static std::string range(std::size_t from, std::size_t end) {
    return concat(from == end ? from : from + 1, ",", end - from);
  }
  static void put(std::string& text, char sign, std::string_view line) {
    text += sign;
    text += line;
    if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
  }

  const Lines& before_;
  const Lines& after_;
};

}  // namespace

LineDiff line_diff(std::string_view before, std::string_view after, std::size_t limit) {
  const Lines old_lines = split_lines(before);
  const Lines new_lines = split_lines(after);
  const std::vector<Change> changes = find_changes(old_lines, new_lines);
  const Printer printer(old_lines, new_lines);
  LineDiff diff;
  for (std::size_t i = 0; i < changes.size();) {
    std::size_t last = i;
    while (last + 1 < changes.size() &&
           changes[last + 1].old_at - (changes[last].old_at + changes[last].old_count) <=
               2 * kContext) {
      ++last;
    }
    diff.text += printer.hunk(&changes[i], &changes[last]);
    i = last + 1;
    if (diff.text.size() <= limit) continue;
    diff.text.resize(diff.text.find_last_of('\n', limit) + 1);
    diff.truncated = true;
    break;
  }
  return diff;
}

}  // namespace yonder::tree
