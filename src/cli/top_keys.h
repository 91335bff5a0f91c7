#pragma once

#include <string>

#include "cli/top_state.h"

namespace yonder::cli {

struct TopKey {
  enum class Kind {
    Text,
    Up,
    Down,
    PageUp,
    PageDown,
    Home,
    End,
    Tab,
    BackTab,
    Enter,
    Escape,
    Backspace,
  };
  Kind kind = Kind::Text;
  std::string text;  // one character
};

enum class TopAction { None, Quit, OpenLog, CloseLog };

struct TopStep {
  TopView view;
  TopAction action = TopAction::None;
  std::string run_id;   // of the log to open
  std::string machine;  // where that is
};

// Pure: what a key does.
TopStep top_press(const TopKnown& known, TopView view, const TopKey& key);

}  // namespace yonder::cli
