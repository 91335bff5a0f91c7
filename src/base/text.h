#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace yonder {

namespace text_detail {
inline void append(std::string& out, std::string_view piece) {
  out += piece;
}
inline void append(std::string& out, char piece) {
  out += piece;
}
template <std::integral T>
requires(!std::same_as<T, char> && !std::same_as<T, bool>) void append(std::string& out, T number) {
  out += std::to_string(number);
}
}  // namespace text_detail

// concat("run ", id, " ended with ", 3). The outpost is static and small, so no formatting library.
template <class... Pieces>
std::string concat(const Pieces&... pieces) {
  std::string out;
  (text_detail::append(out, pieces), ...);
  return out;
}

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);

// The candidate nearest to `word` by edit distance, or "" when none is near enough to suggest.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// 1536 → "1.5 KiB".
std::string human_bytes(unsigned long long bytes);

// Milliseconds since the epoch → "2026-01-31T12:00:00Z".
std::string utc_time(long long ms);

}  // namespace yonder
