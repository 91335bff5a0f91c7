#include <sys/mman.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/text.h"
#include "fuzz/target.h"
#include "mcp/line_reader.h"

// The stream that lines come out of: no line is lost, none is made up, and none is too long.
namespace yonder::fuzz {
namespace {

constexpr std::size_t kMaxLine = 64;

void lines(std::string_view bytes) {
  const Fd input(::memfd_create("fuzz", MFD_CLOEXEC));
  require(input && ::pwrite(input.get(), bytes.data(), bytes.size(), 0) ==
                       static_cast<ssize_t>(bytes.size()),
          "a file can be made");
  static const auto stop = mcp::StopSignal::create();
  require(stop.has_value(), "a signal can be made");
  mcp::LineReader reader(input, *stop, kMaxLine);
  for (const auto& line : split(bytes, '\n')) {
    if (line.size() <= kMaxLine && trim(line).empty()) continue;
    const auto item = reader.next();
    require(item.has_value(), "a file can be read");
    if (line.size() > kMaxLine) {
      require(item->kind == mcp::LineReader::Kind::TooLong, "a line that is too long is skipped");
      require(line.starts_with(item->text), "of which the beginning is kept");
    } else {
      require(item->kind == mcp::LineReader::Kind::Line, "a line is a line");
      require(trim(item->text) == trim(line), "and is as it was written");
    }
  }
  const auto end = reader.next();
  require(end && end->kind == mcp::LineReader::Kind::End, "then it is over");
}

const Registered kLines("lines", lines);

}  // namespace
}  // namespace yonder::fuzz
