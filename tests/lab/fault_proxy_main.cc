// fault_proxy --listen PORT|0 --to PORT [--delay-ms N] [--rate BYTES_PER_SECOND]
//
// Prints "listening PORT", then obeys one command per line of stdin until it ends, and answers each
// with a line that starts with "ok" or "error":
//
//   cut [rst|fin]                       stall | resume | refuse | accept | stats
//   cut-after BYTES up|down [call|connection] [rst|fin]
//   delay MS [up|down]                  rate BYTES_PER_SECOND
//   half-close up|down

#include <charconv>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "lab/fault_proxy.h"

namespace yonder::lab {
namespace {

using Words = std::vector<std::string>;

template <class Number>
std::optional<Number> parse_number(const std::string& text) {
  Number number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return number;
}

std::optional<Duration> parse_milliseconds(const std::string& text) {
  const auto number = parse_number<std::uint32_t>(text);
  if (!number) return std::nullopt;
  return std::chrono::milliseconds(*number);
}

std::optional<Direction> parse_direction(const std::string& text) {
  if (text == "up") return Direction::Up;
  if (text == "down") return Direction::Down;
  return std::nullopt;
}

std::optional<FaultProxyOptions> parse_options(const Words& words) {
  FaultProxyOptions options;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const auto number = parse_number<std::uint32_t>(words[i + 1]);
    if (!number) return std::nullopt;
    if (words[i] == "--listen") {
      options.listen = static_cast<std::uint16_t>(*number);
    } else if (words[i] == "--to") {
      options.to = static_cast<std::uint16_t>(*number);
    } else if (words[i] == "--delay-ms") {
      options.delay = std::chrono::milliseconds(*number);
    } else if (words[i] == "--rate") {
      options.rate = *number;
    } else {
      return std::nullopt;
    }
  }
  if (words.size() % 2 != 0 || options.to == 0) return std::nullopt;
  return options;
}

// The words after those that every "cut" needs; false when one is unknown.
bool parse_cut_words(const Words& words, std::size_t from, CutRule& rule) {
  for (std::size_t i = from; i < words.size(); ++i) {
    if (words[i] == "rst") {
      rule.with = CutWith::Reset;
    } else if (words[i] == "fin") {
      rule.with = CutWith::Fin;
    } else if (words[i] == "call") {
      rule.since = Since::Call;
    } else if (words[i] == "connection") {
      rule.since = Since::Connection;
    } else {
      return false;
    }
  }
  return true;
}

bool cut_after(FaultProxy& proxy, const Words& words) {
  if (words.size() < 3) return false;
  const auto bytes = parse_number<std::uint64_t>(words[1]);
  const auto direction = parse_direction(words[2]);
  CutRule rule;
  if (!bytes || !direction || !parse_cut_words(words, 3, rule)) return false;
  rule.bytes = *bytes;
  rule.direction = *direction;
  proxy.cut_after(rule);
  return true;
}

bool set_delay(FaultProxy& proxy, const Words& words) {
  const auto delay = parse_milliseconds(words.size() > 1 ? words[1] : "");
  if (!delay || words.size() > 3) return false;
  if (words.size() == 2) {
    proxy.set_delay(*delay);
    return true;
  }
  const auto direction = parse_direction(words[2]);
  if (direction) proxy.set_delay(*direction, *delay);
  return direction.has_value();
}

bool with_argument(FaultProxy& proxy, const Words& words) {
  const std::string& name = words[0];
  if (name == "cut-after") return cut_after(proxy, words);
  if (name == "delay") return set_delay(proxy, words);
  if (name == "cut") {
    CutRule rule;
    if (!parse_cut_words(words, 1, rule)) return false;
    proxy.cut(rule.with);
    return true;
  }
  if (words.size() != 2) return false;
  if (name == "rate") {
    const auto rate = parse_number<std::uint64_t>(words[1]);
    if (rate) proxy.set_rate(*rate);
    return rate.has_value();
  }
  const auto direction = parse_direction(words[1]);
  if (name != "half-close" || !direction) return false;
  proxy.half_close(*direction);
  return true;
}

bool without_argument(FaultProxy& proxy, const std::string& name) {
  if (name == "stall") {
    proxy.stall();
  } else if (name == "resume") {
    proxy.resume();
  } else if (name == "refuse") {
    proxy.refuse();
  } else if (name == "accept") {
    proxy.accept();
  } else {
    return false;
  }
  return true;
}

std::string answer(FaultProxy& proxy, const std::string& line) {
  Words words = split(trim(line), ' ');
  if (words.size() == 1 && words[0] == "stats") {
    const ProxyStats stats = proxy.stats();
    return concat("ok connections=", stats.connections, " open=", stats.open,
                  " up=", stats.up_bytes, " down=", stats.down_bytes,
                  " under-way=", stats.under_way, " cuts=", stats.cuts);
  }
  const bool done = (words.size() == 1 && without_argument(proxy, words[0])) ||
                    (!words.empty() && with_argument(proxy, words));
  return concat(done ? "ok " : "error: not understood: ", trim(line));
}

int serve(const Words& arguments) {
  const auto options = parse_options(arguments);
  if (!options) {
    std::cerr << "usage: fault_proxy --listen PORT|0 --to PORT [--delay-ms N] [--rate BYTES]\n";
    return 2;
  }
  auto proxy = FaultProxy::start(*options);
  if (!proxy) {
    std::cerr << "fault_proxy: " << proxy.error().message << '\n';
    return 1;
  }
  std::cout << "listening " << (*proxy)->port() << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    std::cout << answer(**proxy, line) << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace yonder::lab

int main(int argc, char** argv) {
  return yonder::lab::serve({argv + 1, argv + argc});
}
