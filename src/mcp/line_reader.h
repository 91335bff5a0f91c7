#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/fd.h"
#include "mcp/stop_signal.h"

namespace yonder::mcp {

// Cuts a byte stream into lines, with bounded memory whatever comes.
class LineReader {
 public:
  enum class Kind {
    Line,
    TooLong,  // a line beyond the bound was skipped, up to its newline; the text is its beginning
    End,      // of the input, or the session was stopped
  };
  struct Item {
    Kind kind = Kind::End;
    std::string text;  // without the newline; never blank
  };

  LineReader(const Fd& input, const StopSignal& stop, std::size_t max_line = 16U << 20U)
      : input_(input), stop_(stop), max_line_(max_line) {}

  // Waits for the next one. The last line counts also without a newline. When the session is
  // stopped, what the client has written before is still returned, within bounds.
  Result<Item> next();

 private:
  std::optional<Item> take();
  std::optional<Item> finish_line(std::size_t end);
  Result<void> fill();
  Item take_rest();

  const Fd& input_;
  const StopSignal& stop_;
  std::size_t max_line_;
  std::string buffer_;
  std::size_t start_ = 0;     // of the line that is being read
  std::size_t searched_ = 0;  // no newline before this
  bool skipping_ = false;
  std::string skipped_;  // the beginning of it
  bool ended_ = false;
  std::size_t read_since_stop_ = 0;
};

}  // namespace yonder::mcp
