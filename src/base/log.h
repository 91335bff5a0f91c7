#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

namespace yonder {

// One event, one line, on stderr: stdout belongs to the protocol. Never a secret.
enum class LogLevel { Debug, Info, Warning, Error, Off };
using LogFields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

// The one permitted global: what is shown. Set once by main.
void set_log_level(LogLevel level);

void log_debug(std::string_view event, LogFields fields = {});
void log_info(std::string_view event, LogFields fields = {});
void log_warning(std::string_view event, LogFields fields = {});
void log_error(std::string_view event, LogFields fields = {});

}  // namespace yonder
