#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "cli/terminal_text.h"

namespace yonder::cli {

// The end of a run's log as lines that any screen can show: without colours and escape codes, tabs
// as spaces, and of a line that was written over again only what is left of it.
class TopLog {
 public:
  TopLog(std::string machine, std::string run_id)
      : machine_(std::move(machine)), run_id_(std::move(run_id)) {}

  void add(std::string_view bytes);
  // Nothing more comes; `note` says why.
  void end(std::string note);

  const std::string& machine() const { return machine_; }
  const std::string& run_id() const { return run_id_; }
  const std::string& note() const { return note_; }
  // The last one is not finished, and may be empty.
  const std::deque<std::string>& lines() const { return lines_; }

 private:
  void add_text(char byte);

  std::string machine_;
  std::string run_id_;
  std::string note_;
  TerminalText safe_{false};
  std::deque<std::string> lines_{""};
  std::size_t column_ = 0;
  bool returned_ = false;  // to the beginning of the line; the next text replaces it
};

}  // namespace yonder::cli
