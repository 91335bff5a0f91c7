#include "cli/logs_plan.h"

namespace yonder::cli {
namespace {

constexpr std::uint64_t kLinesOnScreen = 50;

}  // namespace

ops::LogRequest log_request(const LogsOptions& options, const ops::TaskRef& run, LogReader reader) {
  ops::LogRequest request{
      .task = run, .offset = options.offset, .filter = options.grep, .follow = options.follow};
  const bool says_where = options.everything || options.offset || options.lines;
  if (options.lines) request.lines = *options.lines;
  // Who looks for something wants it wherever it is.
  if (!says_where && options.grep.empty() && reader == LogReader::Terminal) {
    request.lines = kLinesOnScreen;
  }
  return request;
}

ops::CheckRequest check_request(const LogsOptions& options, const ops::TaskRef& run,
                                std::size_t most_characters) {
  ops::CheckRequest request{.task = run,
                            .last_n_lines = options.lines.value_or(kLinesOnScreen),
                            .offset = options.offset,
                            .filter = options.grep,
                            .max_output_chars = most_characters};
  const bool from_the_start = options.everything || (!options.grep.empty() && !options.lines);
  if (from_the_start && !request.offset) request.offset = 0;
  return request;
}

}  // namespace yonder::cli
