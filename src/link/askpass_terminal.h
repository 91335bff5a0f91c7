#pragma once

#include <string>
#include <string_view>

#include "base/guarded.h"
#include "link/askpass_broker.h"

namespace yonder::link {

// What is printed for a question: its text made harmless, each line led by the sandbox's name, so
// that no server can write a line that looks like ours.
std::string shown_prompt(std::string_view sandbox, std::string_view prompt);

// A line being typed with the terminal's own line editing switched off. Passive: feed it.
class TypedLine {
 public:
  enum class Step { Typed, Nothing, Erased, Cleared, Finished, GivenUp };
  // Enter finishes; Ctrl-C, Ctrl-\ and Ctrl-D on an empty line give up; Backspace and Ctrl-U erase.
  Step feed(char key);
  Secret take() { return Secret(std::move(text_)); }

 private:
  Step erase_last();
  std::string text_;
};

// Asks at the terminal, one question after the other, whatever stdin and stdout are. Keyboard
// signals are switched off meanwhile and come as keys; other signals are the program's business,
// which gets the terminal restored by cancelling the question. Thread: any.
class TerminalPerson : public Person {
 public:
  // Whether this process has a terminal to ask at.
  static bool available();

  explicit TerminalPerson(std::string device = "/dev/tty") : device_(std::move(device)) {}

  std::optional<Secret> ask(const std::string& sandbox, const Question& question,
                            const Patience& patience) override;
  void tell(const std::string& sandbox, const Question& question) override;

 private:
  const std::string device_;
  Monitor<bool> busy_;
};

}  // namespace yonder::link
