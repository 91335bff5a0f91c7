#include "fuzz/target.h"
#include "outpost/line_filter.h"
#include "tree/search_text.h"

// Patterns of an agent, and text that they are looked for in.
namespace yonder::fuzz {
namespace {

void patterns(std::string_view bytes) {
  Pieces pieces(bytes);
  const std::string pattern(pieces.piece());
  const std::string_view text = pieces.rest();
  if (const auto filter = outpost::LineFilter::create(pattern)) {
    const auto at = filter->find_in(text, {.begin = true, .end = true});
    require(!at || *at <= text.size(), "what is found is in the line");
    [[maybe_unused]] const bool found = filter->found_in(text);
  }
  const auto search = tree::LineSearch::create({.pattern = pattern});
  if (!search) return;
  std::uint64_t last = 0;
  const auto newlines = search->search(text, 1, [&](files::Match&& match) {
    require(match.line > last, "lines are found in their order");
    last = match.line;
    return true;
  });
  require(last <= newlines + 1, "what is found is in a line of the text");
}

const Registered kPatterns("patterns", patterns);

}  // namespace
}  // namespace yonder::fuzz
