#include "outpost/line_filter.h"

#include <re2/re2.h>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kLongestPattern = 4096;
constexpr std::int64_t kMemory = 8LL * 1024 * 1024;
// The worst that a byte can cost is proportional to it.
constexpr int kLargestProgram = 20000;

RE2::Options options(RE2::Options::Encoding encoding) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMemory);
  options.set_encoding(encoding);
  return options;
}

Error wrong(const std::string& what) {
  return Error{
      Errc::InvalidArgument, "filter: " + what,
      "it is a regular expression in RE2's syntax; \\ before a character takes it as it is"};
}

// Without a loop no step of the program is taken twice, and none takes more than one byte.
static_assert(kLargestProgram < kLineEnds);
bool has_loop(std::string_view pattern) {
  return pattern.find_first_of("*+") != std::string_view::npos ||
         pattern.find(",}") != std::string_view::npos;
}

}  // namespace

LineFilter::LineFilter() = default;
LineFilter::LineFilter(LineFilter&&) noexcept = default;
LineFilter& LineFilter::operator=(LineFilter&&) noexcept = default;
LineFilter::~LineFilter() = default;

Result<LineFilter> LineFilter::create(const std::string& pattern) {
  if (pattern.size() > kLongestPattern) {
    return wrong(concat("longer than ", kLongestPattern, " bytes"));
  }
  LineFilter filter;
  filter.may_match_far_ = has_loop(pattern);
  filter.characters_ = std::make_unique<RE2>(pattern, options(RE2::Options::EncodingUTF8));
  if (!filter.characters_->ok()) return wrong(printable(filter.characters_->error()));
  if (filter.characters_->ProgramSize() > kLargestProgram) return wrong("it is too large");
  filter.bytes_ = std::make_unique<RE2>(pattern, options(RE2::Options::EncodingLatin1));
  filter.whole_characters_ = std::make_unique<RE2>("(?s).*", options(RE2::Options::EncodingUTF8));
  return filter;
}

bool LineFilter::found_in(std::string_view line) const {
  if (line.ends_with('\r')) line.remove_suffix(1);
  const re2::StringPiece text(line.data(), line.size());
  if (RE2::PartialMatch(text, *characters_)) return true;
  return bytes_->ok() && !RE2::FullMatch(text, *whole_characters_) &&
         RE2::PartialMatch(text, *bytes_);
}

std::optional<std::size_t> LineFilter::find_in(std::string_view part, Ends ends) const {
  const std::size_t first = ends.begin ? 0 : 1;
  const std::size_t last = part.size() - (ends.end || part.empty() ? 0 : 1);
  if (first > last) return std::nullopt;
  const re2::StringPiece text(part.data(), part.size());
  re2::StringPiece match;
  const auto found = [&](const RE2& pattern) {
    return pattern.Match(text, first, last, RE2::UNANCHORED, &match, 1);
  };
  if (!found(*characters_) &&
      (!bytes_->ok() || RE2::FullMatch(text, *whole_characters_) || !found(*bytes_))) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(match.data() - text.data());
}

}  // namespace yonder::outpost
