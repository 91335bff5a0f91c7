#include "resources/choose.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <tuple>

#include "base/text.h"
#include "resources/fit.h"
#include "resources/idle_score.h"

namespace yonder::resources {
namespace {

std::string shown(double score) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g", score);
  return text.data();
}

double effective(const Ranked& one) {
  return one.score.value.value_or(0) - kRecentChoiceCost * one.recent;
}

bool is_better(const Ranked& a, const Ranked& b) {
  const auto key = [](const Ranked& one) {
    return std::tuple(one.waits ? one.queue : 0, !one.score, -effective(one));
  };
  return key(a) != key(b) ? key(a) < key(b) : a.name < b.name;
}

std::string times_chosen(const Ranked& one) {
  return concat("chosen ", one.recent, one.recent == 1 ? " time" : " times", " in the last minute");
}

// It looks more idle, and yet comes later.
const Ranked* passed_over(const Ranked& one, const std::vector<Ranked>& fit) {
  const auto found = std::find_if(fit.begin(), fit.end(), [&](const Ranked& other) {
    return one.score && other.score && *other.score > *one.score &&
           effective(other) < effective(one);
  });
  return found == fit.end() ? nullptr : &*found;
}

std::string explain(const Ranked& one, const std::vector<Ranked>& fit) {
  const std::size_t fitting = fit.size();
  std::string why = fitting == 1 ? "the only one that fits"
                    : one.waits  ? concat("the shortest queue of ", fitting, " that could serve it")
                                 : concat("the most idle of ", fitting, " that fit");
  if (one.waits) {
    why += concat("; no machine is free now, ", one.queue,
                  one.queue == 1 ? " run waits" : " runs wait", " there");
  }
  if (!one.score) why += concat("; its score is not known (", one.score.why, ")");
  if (one.recent > 0) {
    why += concat("; ", times_chosen(one), ", which counts as ",
                  shown(kRecentChoiceCost * one.recent), " less");
  }
  if (const Ranked* other = passed_over(one, fit)) {
    why += concat("; ", other->name, " (", standing(*other), ") has work that is not measured yet");
  }
  return why;
}

Ranking rank_once(const std::vector<Candidate>& candidates, const Needs& needs,
                  const std::map<std::string, int>& recent, bool waits) {
  Ranking ranking;
  for (const auto& candidate : candidates) {
    if (!candidate.facts) {
      ranking.ruled_out.push_back({candidate.name, candidate.error});
      continue;
    }
    const Reasons reasons = why_not_fit(*candidate.facts, candidate.labels, needs, waits);
    if (!reasons.empty()) {
      ranking.ruled_out.push_back({candidate.name, join(reasons, "; ")});
      continue;
    }
    const auto chosen = recent.find(candidate.name);
    ranking.fit.push_back({.name = candidate.name,
                           .score = idle_score(*candidate.facts),
                           .recent = chosen == recent.end() ? 0 : chosen->second,
                           .waits = waits,
                           .queue = candidate.facts->gpus.queue.size(),
                           .why = {}});
  }
  std::sort(ranking.fit.begin(), ranking.fit.end(), is_better);
  for (auto& one : ranking.fit) one.why = explain(one, ranking.fit);
  return ranking;
}

}  // namespace

std::string standing(const Ranked& one) {
  std::string text = one.score ? concat("idle ", shown(*one.score))
                               : concat("idle not known (", one.score.why, ")");
  if (one.waits) text += concat(", ", one.queue, " waiting");
  if (one.recent > 0) text += concat(", ", times_chosen(one));
  return text;
}

Ranking rank(const std::vector<Candidate>& candidates, const Needs& needs,
             const std::map<std::string, int>& recent, bool may_wait) {
  Ranking now = rank_once(candidates, needs, recent, false);
  if (!now.fit.empty() || !may_wait) return now;
  return rank_once(candidates, needs, recent, true);
}

}  // namespace yonder::resources
