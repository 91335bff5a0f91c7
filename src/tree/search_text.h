#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/file_work.h"
#include "base/result.h"

namespace re2 {
class RE2;
}

namespace yonder::tree {

// Finds lines. Time is linear in the text, whatever the pattern.
class LineSearch {
 public:
  static Result<LineSearch> create(const files::SearchRequest& request);
  LineSearch(LineSearch&& other) noexcept;
  ~LineSearch();

  // Each matching line of `text`, which begins with line `first_line`. `on_match` says whether to
  // go on. How many lines the text has is returned.
  std::uint64_t search(std::string_view text, std::uint64_t first_line,
                       const std::function<bool(files::Match&&)>& on_match) const;

 private:
  LineSearch(std::unique_ptr<re2::RE2> pattern, const files::SearchRequest& request);
  files::Match describe(std::string_view text, std::size_t start, std::size_t end,
                        std::size_t at) const;
  std::string shorten(std::string_view line) const;

  std::unique_ptr<re2::RE2> pattern_;
  std::size_t context_;
  std::size_t max_line_;
};

}  // namespace yonder::tree
