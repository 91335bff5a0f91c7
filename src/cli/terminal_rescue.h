#pragma once

namespace yonder::cli {

// While a full-screen library has the terminal: a signal that ends the process without a word (a
// crash, Ctrl-\) first gives the terminal back as it was.
class TerminalRescue {
 public:
  // Before the library changes the terminal's settings.
  TerminalRescue();
  ~TerminalRescue();
  TerminalRescue(const TerminalRescue&) = delete;
  TerminalRescue& operator=(const TerminalRescue&) = delete;

  // `leave`: what the terminal must be told, as bytes that live as long as this object. Nothing is
  // done before.
  void arm(const char* leave);
};

}  // namespace yonder::cli
