#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "cli/top_draw.h"
#include "cli/top_keys.h"

namespace yonder::cli {

// The only file that knows ncurses, and beside render.cc the only one of this room that writes to
// stdout.

// The terminal as a screen of its own, put back as it was when this ends. What goes to the terminal
// through stderr meanwhile is dropped: it would stand somewhere in the picture. One at a time;
// thread: the one that opened it.
class TopScreen {
 public:
  // Call it before other threads run: characters beyond ASCII need a locale.
  static void prepare();
  // Unsupported when the terminal cannot move its cursor.
  static Result<std::unique_ptr<TopScreen>> open(const std::string& terminal, bool colours);
  ~TopScreen();
  TopScreen(const TopScreen&) = delete;
  TopScreen& operator=(const TopScreen&) = delete;

  TopSize size() const;
  void paint(const std::vector<TopLine>& lines);
  // Nothing when none has been pressed.
  std::optional<TopKey> next_key();

  // Readable when the terminal has got another size.
  int resize_fd() const;
  void take_new_size();

 private:
  struct Curses;
  TopScreen(std::unique_ptr<Curses> curses, Pipe resizes);

  std::unique_ptr<Curses> curses_;
  Pipe resizes_;
};

}  // namespace yonder::cli
