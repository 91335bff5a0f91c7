#include "cli/parse_values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder::cli {
namespace {

using Words = std::vector<std::string>;

constexpr double kMostSeconds = 10.0 * 365 * 24 * 3600;

struct TimeUnit {
  std::string_view name;
  double seconds;
};
constexpr std::array kTimeUnits{TimeUnit{"ms", 0.001}, TimeUnit{"s", 1}, TimeUnit{"m", 60},
                                TimeUnit{"h", 3600}, TimeUnit{"d", 86400}};

// The seconds of "90", "1.5h" or "1h30m"; nothing when it is none of these.
std::optional<double> seconds_of(std::string_view text) {
  double sum = 0;
  for (bool first = true; first || !text.empty(); first = false) {
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
    if (first && text.empty()) return value;
    const auto unit = std::find_if(kTimeUnits.begin(), kTimeUnits.end(), [&](const TimeUnit& one) {
      return text.substr(0, text.find_first_of("0123456789.")) == one.name;
    });
    if (unit == kTimeUnits.end()) return std::nullopt;
    text.remove_prefix(unit->name.size());
    sum += value * unit->seconds;
  }
  return sum;
}

}  // namespace

Error usage_error(std::string message, std::string hint) {
  return {Errc::InvalidArgument, std::move(message), std::move(hint)};
}

Result<Duration> parse_time(const char* option, const std::string& text) {
  const auto seconds = seconds_of(text);
  if (!seconds) {
    return usage_error(concat(option, " takes a time such as 90, 1.5, 30m, 2h or 1h30m, not \"",
                              printable(text), "\""));
  }
  if (*seconds > kMostSeconds) return usage_error(concat(option, ": more than ten years"));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*seconds));
}

Result<Duration> parse_time_limit(const char* option, const std::string& text) {
  TRY_ASSIGN(const Duration limit, parse_time(option, text));
  if (limit == Duration::zero()) return usage_error(concat(option, " must be above 0"));
  return limit;
}

Result<std::optional<Duration>> parse_patience(const std::string& text) {
  if (text.empty()) return std::optional<Duration>();
  TRY_ASSIGN(const Duration wait, parse_time_limit("--wait", text));
  return std::optional<Duration>(wait);
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
