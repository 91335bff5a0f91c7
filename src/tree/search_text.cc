#include "tree/search_text.h"

#include <re2/re2.h>

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::int64_t kPatternMemory = 16LL << 20U;
constexpr std::size_t kLongestPattern = 4096;
// The worst that a byte can cost is proportional to it.
constexpr int kLargestProgram = 20000;

std::uint64_t count_lines(std::string_view text) {
  return static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
}

// Files that are not UTF-8 are searched too, where the pattern does not ask for characters.
bool is_about_bytes(const std::string& pattern) {
  const bool ascii = std::all_of(pattern.begin(), pattern.end(),
                                 [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii && pattern.find("\\p") == std::string::npos &&
         pattern.find("\\P") == std::string::npos && pattern.find("\\x{") == std::string::npos;
}

Error wrong(const std::string& pattern, std::string_view what) {
  return Error{Errc::InvalidArgument,
               concat("pattern '", printable(pattern.substr(0, 200)), "': ", what),
               "RE2 syntax: no look-around and no back-references; literal (-F of yonder grep) "
               "takes it as plain text"};
}

}  // namespace

LineSearch::LineSearch(std::unique_ptr<re2::RE2> pattern, const files::SearchRequest& request)
    : pattern_(std::move(pattern)),
      context_(static_cast<std::size_t>(request.context)),
      max_line_(static_cast<std::size_t>(std::max<std::uint64_t>(request.max_line_bytes, 1))) {}
LineSearch::LineSearch(LineSearch&& other) noexcept = default;
LineSearch::~LineSearch() = default;

Result<LineSearch> LineSearch::create(const files::SearchRequest& request) {
  if (request.pattern.empty()) return wrong("", "it is empty");
  if (request.pattern.size() > kLongestPattern) return wrong(request.pattern, "it is too long");
  re2::RE2::Options options(re2::RE2::Quiet);
  options.set_case_sensitive(request.case_sensitive);
  options.set_never_nl(true);  // a match is within one line
  options.set_max_mem(kPatternMemory);
  if (is_about_bytes(request.pattern)) options.set_encoding(re2::RE2::Options::EncodingLatin1);
  const std::string pattern =
      request.literal ? re2::RE2::QuoteMeta(request.pattern) : request.pattern;
  auto compiled = std::make_unique<re2::RE2>(concat("(?m)(?:", pattern, ")"), options);
  if (!compiled->ok()) {
    // What follows is the pattern as we have put it together.
    const std::string& why = compiled->error();
    return wrong(request.pattern, printable(why.substr(0, why.find(": (?m)"))));
  }
  if (compiled->ProgramSize() > kLargestProgram) return wrong(request.pattern, "it is too large");
  return LineSearch(std::move(compiled), request);
}

std::string LineSearch::shorten(std::string_view line) const {
  return std::string(line.substr(0, max_line_));
}

files::Match LineSearch::describe(std::string_view text, std::size_t start, std::size_t end,
                                  std::size_t at) const {
  const std::string_view line = text.substr(start, end - start);
  files::Match match{.column = at - start + 1, .shortened = line.size() > max_line_};
  // Of a long line the part around the match.
  const std::size_t before = std::min(at - start, max_line_ / 4);
  const std::size_t from = match.shortened ? at - start - before : 0;
  match.text = line.substr(from, max_line_);
  std::size_t begin = start;
  for (std::size_t i = 0; i < context_ && begin > 0; ++i) {
    const std::size_t previous = begin < 2 ? std::string_view::npos : text.rfind('\n', begin - 2);
    const std::size_t first = previous == std::string_view::npos ? 0 : previous + 1;
    match.before.insert(match.before.begin(), shorten(text.substr(first, begin - 1 - first)));
    begin = first;
  }
  std::size_t next = end + 1;
  for (std::size_t i = 0; i < context_ && next < text.size(); ++i) {
    const std::size_t stop = std::min(text.find('\n', next), text.size());
    match.after.push_back(shorten(text.substr(next, stop - next)));
    next = stop + 1;
  }
  return match;
}

std::uint64_t LineSearch::search(std::string_view text, std::uint64_t first_line,
                                 const std::function<bool(files::Match&&)>& on_match) const {
  std::uint64_t line = first_line;
  std::size_t counted = 0;
  std::size_t from = 0;
  const re2::StringPiece whole(text.data(), text.size());
  re2::StringPiece found;
  while (from < text.size() &&
         pattern_->Match(whole, from, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
    const auto at = static_cast<std::size_t>(found.data() - text.data());
    if (at >= text.size()) break;  // an empty match behind the last newline is no line
    const std::size_t newline = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
    const std::size_t start = newline == std::string_view::npos ? 0 : newline + 1;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    line += count_lines(text.substr(counted, start - counted));
    counted = start;
    files::Match match = describe(text, start, end, at);
    match.line = line;
    if (!on_match(std::move(match))) break;
    from = end + 1;
  }
  return count_lines(text);
}

}  // namespace yonder::tree
