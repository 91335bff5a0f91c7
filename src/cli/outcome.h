#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ops/tasks.h"

namespace yonder::cli {

// What came of asking about one of several runs.
template <class T>
struct Outcome {
  std::string run;  // its whole id, or its session as it was named
  Result<T> result;
};

inline const std::string& name_of(const ops::TaskRef& run) {
  return run.run_id.empty() ? run.session : run.run_id;
}

// Calls work(0) to work(count - 1), several at the same time, and returns when all are done.
void at_once(std::size_t count, const std::function<void(std::size_t)>& work);

// Asks about all runs at the same time; the answers are in their order. Thread: `ask` is called on
// several.
template <class T>
std::vector<Outcome<T>> ask_about(const std::vector<ops::TaskRef>& runs,
                                  const std::function<Result<T>(const ops::TaskRef&)>& ask) {
  std::vector<Outcome<T>> outcomes;
  outcomes.reserve(runs.size());
  for (const auto& run : runs) {
    outcomes.push_back({name_of(run), Error{Errc::Internal, "it was not asked about", ""}});
  }
  at_once(runs.size(), [&](std::size_t i) { outcomes[i].result = ask(runs[i]); });
  return outcomes;
}

}  // namespace yonder::cli
