#include "outpost/long_line.h"

#include <algorithm>

namespace yonder::outpost {
namespace {

constexpr std::size_t kAround = 512;

}  // namespace

void LongLine::look(std::string_view part, LineFilter::Ends ends, const LineFilter& filter) {
  if (found()) return;
  const auto at = filter.find_in(part, ends);
  if (!at) return;
  const std::size_t from = *at - std::min(*at, kAround);
  excerpt_ = part.substr(from, *at - from + kAround);
}

void LongLine::append(std::string_view bytes, bool ends, const LineFilter& filter) {
  overlap_ += bytes;
  look(overlap_, {.begin = edge_, .end = ends}, filter);
  if (overlap_.size() <= kLineEnds) return;
  overlap_.erase(0, overlap_.size() - kLineEnds);
  edge_ = false;
}

void LongLine::prepend(std::string_view bytes, bool begins, const LineFilter& filter) {
  overlap_.insert(0, bytes);
  look(overlap_, {.begin = begins, .end = edge_}, filter);
  if (overlap_.size() <= kLineEnds) return;
  overlap_.resize(kLineEnds);
  edge_ = false;
}

std::size_t size_of_line_end(std::string_view bytes, std::size_t at) {
  const std::size_t stop = bytes.find_first_not_of('\r', at);
  if (stop == std::string_view::npos) return bytes.size() - at;
  return stop - at + (bytes[stop] == '\n' ? 1 : 0);
}

}  // namespace yonder::outpost
