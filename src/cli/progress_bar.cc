#include "cli/progress_bar.h"

#include <algorithm>

#include "base/text.h"
#include "cli/render.h"

namespace yonder::cli {
namespace {

constexpr std::uint64_t kBarWidth = 20;

// Whoever sends many small files waits for files, not for bytes.
std::uint64_t percent(const sync::Progress& at) {
  if (at.bytes_total > 0) return std::min<std::uint64_t>(100, at.bytes_done * 100 / at.bytes_total);
  if (at.files_total > 0) return std::min<std::uint64_t>(100, at.files_done * 100 / at.files_total);
  return 0;
}

}  // namespace

std::string bar_line(const ops::SyncProgress& progress, std::size_t width) {
  std::string line = ops::sentence(progress);
  if (progress.at.phase == sync::Phase::Copying) {
    const std::uint64_t done = percent(progress.at);
    const auto filled = static_cast<std::size_t>(done * kBarWidth / 100);
    const std::string number = std::to_string(done);
    line = concat("[", std::string(filled, '#'), std::string(kBarWidth - filled, '.'), "] ",
                  std::string(3 - number.size(), ' '), number, "%  ", line);
  }
  // The last column stays free: some terminals begin a new line there.
  if (width > 0 && line.size() >= width) line.resize(width - 1);
  return line;
}

ProgressBar::ProgressBar(bool wanted) : wanted_(wanted && stderr_is_terminal()) {}

void ProgressBar::show(const ops::SyncProgress& progress) {
  if (!wanted_) return;
  const std::string line = bar_line(progress, stderr_width());
  drawn_.with([&](bool& drawn) {
    redraw(line);
    drawn = true;
  });
}

void ProgressBar::erase() {
  drawn_.with([](bool& drawn) {
    if (drawn) redraw("");
    drawn = false;
  });
}

}  // namespace yonder::cli
