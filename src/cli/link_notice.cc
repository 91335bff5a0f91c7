#include "cli/link_notice.h"

#include <algorithm>

#include "base/text.h"
#include "cli/one_line.h"
#include "cli/render.h"
#include "ops/link_sights.h"

namespace yonder::cli {
namespace {

// A connection that is back before that is not worth a word.
constexpr auto kWorthAWord = std::chrono::seconds(2);
constexpr auto kLookEvery = std::chrono::milliseconds(250);

std::string away_line(const LinkSight& sight) {
  const std::string name = one_line(sight.sandbox);
  switch (sight.state) {
    case LinkState::Connecting: return concat("connecting to ", name, "...");
    case LinkState::Lost:
      return concat("connection to ", name, " lost, reconnecting; the command goes on");
    case LinkState::Silent:
    case LinkState::Up: break;
  }
  return concat("no answer from ", name, ", waiting for it; the command goes on");
}

}  // namespace

// Why it could not be made is told by who wanted it.
void LinkNotice::forget_given_up(const std::vector<LinkSight>& sights) {
  std::erase_if(away_, [&](const auto& entry) {
    return entry.second.first &&
           std::none_of(sights.begin(), sights.end(),
                        [&](const LinkSight& sight) { return sight.sandbox == entry.first; });
  });
}

// Empty: nothing to tell.
std::string LinkNotice::look_at(const LinkSight& sight, Instant now) {
  if (sight.state == LinkState::Up) {
    const auto was = away_.extract(sight.sandbox);
    if (!was || !was.mapped().told) return {};
    return concat("connected to ", one_line(sight.sandbox), was.mapped().first ? "" : " again");
  }
  const Away begins{.since = now, .first = sight.state == LinkState::Connecting};
  auto& away = away_.try_emplace(sight.sandbox, begins).first->second;
  // It came up and went away again between two looks.
  if (away.first && !begins.first) away = begins;
  if (away.told || now - away.since < kWorthAWord) return {};
  away.told = true;
  return away_line(sight);
}

std::vector<std::string> LinkNotice::look(const std::vector<LinkSight>& sights, Instant now) {
  forget_given_up(sights);
  std::vector<std::string> lines;
  for (const auto& sight : sights) {
    std::string line = look_at(sight, now);
    if (!line.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

LinkWatch::LinkWatch(const ops::Engine& engine, bool over_bar)
    : engine_(engine), over_bar_(over_bar) {
  if (stderr_is_terminal()) thread_ = Thread("link watch", [this] { watch(); });
}

LinkWatch::~LinkWatch() {
  over_.change([](bool& over) { over = true; });
  thread_.join();
}

void LinkWatch::watch() {
  LinkNotice notice;
  const auto is_over = [](bool over) { return over; };
  while (!over_.wait(Deadline::after(kLookEvery), is_over, is_over)) {
    const auto lines = notice.look(ops::link_sights(engine_), std::chrono::steady_clock::now());
    if (over_bar_ && !lines.empty()) redraw("");
    for (const auto& line : lines) say(line);
  }
}

}  // namespace yonder::cli
