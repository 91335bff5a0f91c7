#include "link/greeting.h"

#include <algorithm>

#include "base/clean_text.h"
#include "base/text.h"
#include "wire/handshake.h"

namespace yonder::link {
namespace {

constexpr std::size_t kMaxNoise = 8UL * 1024;
constexpr std::size_t kMaxTried = 16;
constexpr std::size_t kMaxLine = 4096;

void keep_noise(std::string& noise, std::string_view bytes) {
  noise += bytes.substr(0, kMaxNoise - std::min(kMaxNoise, noise.size()));
}

}  // namespace

GreetingReader::GreetingReader(const std::string& nonce)
    : marker_(wire::handshake_marker(nonce) + " ") {}

GreetingReader::Event GreetingReader::next() {
  while (true) {
    const std::size_t start = waiting_.find(marker_);
    if (start == std::string::npos) {
      // The marker's front may stand at the end; the rest can never become part of one.
      std::size_t keep = std::min(waiting_.size(), marker_.size() - 1);
      while (!marker_.starts_with(std::string_view(waiting_).substr(waiting_.size() - keep)))
        --keep;
      keep_noise(noise_, std::string_view(waiting_).substr(0, waiting_.size() - keep));
      waiting_.erase(0, waiting_.size() - keep);
      return {};
    }
    const std::size_t end = waiting_.find('\n', start);
    if (end == std::string::npos && waiting_.size() - start <= kMaxLine) return {};
    if (end == std::string::npos || end - start > kMaxLine) {
      // Not a line of ours, however much of it has come at once. Whatever follows is looked at now,
      // not at the next feed: many markers without an end would pile up.
      keep_noise(noise_, std::string_view(waiting_).substr(0, start));
      waiting_.erase(0, start + marker_.size());
      continue;
    }
    keep_noise(noise_, std::string_view(waiting_).substr(0, start));
    const std::string line = waiting_.substr(start + marker_.size(), end - start - marker_.size());
    waiting_.erase(0, end + 1);
    if (Event event = parse_line(line); event.kind != Kind::Nothing) return event;
  }
}

GreetingReader::Event GreetingReader::parse_line(std::string_view line) {
  const auto words = split(line, ' ');
  if (line == "ready") return {.kind = Kind::Ready, .need = {}};
  if (line == "failed") return {.kind = Kind::Failed, .need = {}};
  if (words[0] == "need" && words.size() == 4) {
    return {.kind = Kind::Need,
            .need = {.system = printable(words[1]),
                     .machine = printable(words[2]),
                     .gzip = words[3] == "1"}};
  }
  if (words[0] == "tried" && tried_.size() < kMaxTried) {
    tried_.push_back(printable(line.substr(std::min(line.size(), std::size_t{6}))));
  }
  return {};
}

}  // namespace yonder::link
