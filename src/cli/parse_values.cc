#include "cli/parse_values.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <string_view>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr double kMostSeconds = 10.0 * 365 * 24 * 3600;
constexpr std::string_view kUnits = "smhd";
constexpr std::array kUnitSeconds{1, 60, 3600, 86400};

}  // namespace

Error usage_error(std::string message, std::string hint) {
  return {Errc::InvalidArgument, std::move(message), std::move(hint)};
}

Result<Duration> parse_seconds(const char* option, const std::string& text) {
  double value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || !std::isfinite(value) || value < 0) {
    return usage_error(concat(option, " takes a number of seconds, not \"", printable(text), "\""));
  }
  if (value > kMostSeconds) return usage_error(concat(option, ": more than ten years"));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(value));
}

Result<Duration> parse_time_limit(const char* option, const std::string& text) {
  TRY_ASSIGN(const Duration limit, parse_seconds(option, text));
  if (limit == Duration::zero()) return usage_error(concat(option, " must be above 0"));
  return limit;
}

Result<Duration> parse_time(const char* option, const std::string& text) {
  int unit = 1;
  std::string number = text;
  const std::size_t at = text.empty() ? std::string::npos : kUnits.find(text.back());
  if (at != std::string::npos) {
    unit = kUnitSeconds.at(at);
    number.pop_back();
  }
  auto time = parse_time_limit(option, number);
  if (!time) {
    return usage_error(
        concat(option, " takes a time such as 90, 30m or 2h, not \"", printable(text), "\""));
  }
  return *time * unit;
}

Result<std::size_t> parse_count(const char* option, const std::string& text, std::size_t most) {
  std::size_t value = 0;
  const auto end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end || value > most) {
    return usage_error(
        concat(option, " takes a number up to ", most, ", not \"", printable(text), "\""));
  }
  return value;
}

Result<void> add_variables(const Words& settings, std::map<std::string, std::string>& env,
                           Words& own_variables) {
  for (const auto& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (setting.empty() || equals == 0) {
      return usage_error(concat("--env: \"", printable(setting), "\" has no name"),
                         "--env NAME=VALUE, or --env NAME for the value it has here");
    }
    if (equals == std::string::npos) {
      own_variables.push_back(setting);
    } else {
      env[setting.substr(0, equals)] = setting.substr(equals + 1);
    }
  }
  return {};
}

Result<void> add_command(const std::string& command, const Words& words, RunRequest& run) {
  if (words.empty() || trim(words.front()).empty()) {
    return usage_error("the command after \"--\" is empty",
                       concat("yonder ", command, " [NAME] -- COMMAND..., such as: yonder ",
                              command, " gpu1 -- uptime"));
  }
  if (words.size() == 1) {
    run.command = words.front();
  } else {
    run.argv = words;
  }
  return {};
}

}  // namespace yonder::cli
