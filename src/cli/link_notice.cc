#include "cli/link_notice.h"

#include "base/text.h"
#include "cli/render.h"
#include "ops/link_sights.h"

namespace yonder::cli {
namespace {

// A connection that is back before that is not worth a word.
constexpr auto kWorthAWord = std::chrono::seconds(2);
constexpr auto kLookEvery = std::chrono::milliseconds(250);

std::string away_line(const LinkSight& sight) {
  return sight.state == LinkState::Lost
             ? concat("connection to ", sight.sandbox, " lost, reconnecting; the command goes on")
             : concat("no answer from ", sight.sandbox, ", waiting for it; the command goes on");
}

}  // namespace

std::vector<std::string> LinkNotice::look(const std::vector<LinkSight>& sights, Instant now) {
  std::vector<std::string> lines;
  for (const auto& sight : sights) {
    if (sight.state == LinkState::Up) {
      const auto was = away_.extract(sight.sandbox);
      if (was && was.mapped().told)
        lines.push_back(concat("connected to ", sight.sandbox, " again"));
      continue;
    }
    auto& away = away_.try_emplace(sight.sandbox, Away{.since = now}).first->second;
    if (away.told || now - away.since < kWorthAWord) continue;
    away.told = true;
    lines.push_back(away_line(sight));
  }
  return lines;
}

LinkWatch::LinkWatch(const ops::Engine& engine) : engine_(engine) {
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
    for (const auto& line : lines) say(line);
  }
}

}  // namespace yonder::cli
