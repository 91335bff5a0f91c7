#include "base/log.h"

#include <unistd.h>

#include <atomic>

namespace yonder {
namespace {

std::atomic<LogLevel> g_level{LogLevel::Warning};

// Values come from everywhere: a newline or an escape code in one must not forge a line.
void append_value(std::string& line, std::string_view value) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      line += c;
    } else {
      line += "\\x";
      line += kHex[byte >> 4U];
      line += kHex[byte & 15U];
    }
  }
}

void write_line(LogLevel level, std::string_view label, std::string_view event, LogFields fields) {
  if (level < g_level.load(std::memory_order_relaxed)) return;
  std::string line = "yonder: ";
  line += label;
  append_value(line, event);
  for (const auto& [key, value] : fields) {
    line += ' ';
    line += key;
    line += '=';
    append_value(line, value);
  }
  line += '\n';
  // One write keeps lines of several threads apart; a log that cannot be written is no reason to
  // fail.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), line.size());
}

}  // namespace

void set_log_level(LogLevel level) {
  g_level = level;
}

void log_debug(std::string_view event, LogFields fields) {
  write_line(LogLevel::Debug, "debug: ", event, fields);
}
void log_info(std::string_view event, LogFields fields) {
  write_line(LogLevel::Info, "", event, fields);
}
void log_warning(std::string_view event, LogFields fields) {
  write_line(LogLevel::Warning, "warning: ", event, fields);
}
void log_error(std::string_view event, LogFields fields) {
  write_line(LogLevel::Error, "error: ", event, fields);
}

}  // namespace yonder
