#include "chaos/tally.h"

#include <numeric>

#include "base/text.h"

namespace yonder::chaos {
namespace {

constexpr std::size_t kMostNotes = 60;

template <class Key>
int sum(const std::map<Key, int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0,
                         [](int total, const auto& entry) { return total + entry.second; });
}

std::string table(const char* title, const std::map<std::string, int>& counts) {
  std::string text = concat(title, ": ", sum(counts), "\n");
  for (const auto& [kind, count] : counts) text += concat("  ", count, "  ", kind, "\n");
  return text;
}

}  // namespace

std::string_view name_of(Wrong wrong) {
  switch (wrong) {
    case Wrong::Lie: return "lies";
    case Wrong::Double: return "not executed once";
    case Wrong::ExitCode: return "wrong ends";
    case Wrong::LogBytes: return "wrong log bytes";
    case Wrong::LeftProcess: return "left processes";
    case Wrong::Answer: return "wrong answers";
  }
  return "";
}

void Tally::fault(const std::string& kind) {
  counts_.with([&](Counts& counts) { ++counts.faults[kind]; });
}

void Tally::answer(const std::string& kind) {
  counts_.with([&](Counts& counts) { ++counts.answers[kind]; });
}

void Tally::wrong(Wrong wrong, const std::string& what) {
  counts_.with([&](Counts& counts) {
    ++counts.wrongs[wrong];
    if (counts.notes.size() < kMostNotes)
      counts.notes.push_back(concat(name_of(wrong), ": ", what));
  });
}

int Tally::faults() const {
  return counts_.with([](const Counts& counts) { return sum(counts.faults); });
}

int Tally::wrongs() const {
  return counts_.with([](const Counts& counts) { return sum(counts.wrongs); });
}

std::string Tally::summary() const {
  return counts_.with([](const Counts& counts) {
    std::string text = table("faults", counts.faults) + table("answers", counts.answers);
    for (int i = 0; i < kWrongs; ++i) {
      const auto wrong = static_cast<Wrong>(i);
      const auto found = counts.wrongs.find(wrong);
      text += concat(name_of(wrong), ": ", found == counts.wrongs.end() ? 0 : found->second, "\n");
    }
    for (const auto& note : counts.notes) text += concat("! ", note, "\n");
    return text;
  });
}

}  // namespace yonder::chaos
