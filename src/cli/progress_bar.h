#pragma once

#include <string>

#include "base/guarded.h"
#include "ops/sync_progress.h"

namespace yonder::cli {

// Pure. One line, at most `width` wide: "[#####.....]  50%  41 of 200 files, ...".
std::string bar_line(const ops::SyncProgress& progress, std::size_t width);

// How far a sync is, on one line of the terminal behind stderr, and gone when this is. Where there
// is no terminal it does nothing. Thread: any.
class ProgressBar {
 public:
  explicit ProgressBar(bool wanted);
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar() { erase(); }

  void show(const ops::SyncProgress& progress);
  // For somebody who has something to say. It comes back with the next show().
  void erase();

 private:
  bool wanted_;
  Guarded<bool> drawn_;
};

}  // namespace yonder::cli
