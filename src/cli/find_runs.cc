#include "cli/find_runs.h"

#include <algorithm>

namespace yonder::cli {
namespace {

constexpr std::size_t kFewestLetters = 4;
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz234567";

Result<ops::TaskRef> find_run(ops::Engine& engine, ops::Session& session, const std::string& word,
                              const std::string& sandbox) {
  if (may_be_id(word)) {
    const auto found = ops::find_task(engine, session, {.run_id = word, .sandbox = sandbox});
    if (found && found->id) {
      return ops::TaskRef{.run_id = found->id->str(), .sandbox = found->sandbox.name};
    }
    const bool is_id = word.starts_with("r-");
    if (!found && (is_id || found.error().code != Errc::NotFound)) return found.error();
  }
  TRY_ASSIGN(const auto found,
             ops::find_task(engine, session, {.session = word, .sandbox = sandbox}));
  return ops::TaskRef{.session = word, .sandbox = found.sandbox.name};
}

}  // namespace

bool may_be_id(std::string_view word) {
  const bool marked = word.starts_with("r-");
  if (marked) word.remove_prefix(2);
  return word.size() >= (marked ? 1 : kFewestLetters) &&
         word.find_first_not_of(kLetters) == std::string_view::npos;
}

Result<std::vector<ops::TaskRef>> find_runs(ops::Engine& engine, ops::Session& session,
                                            const RunWords& words) {
  std::vector<ops::TaskRef> found;
  for (const auto& word : words.runs) {
    TRY_ASSIGN(ops::TaskRef run, find_run(engine, session, word, words.sandbox));
    const bool again = std::any_of(found.begin(), found.end(), [&](const ops::TaskRef& other) {
      return other.run_id == run.run_id && other.session == run.session;
    });
    if (!again) found.push_back(std::move(run));
  }
  return found;
}

}  // namespace yonder::cli
