#include "link/askpass_terminal.h"

#include <fcntl.h>
#include <poll.h>
#include <termios.h>

#include <algorithm>
#include <array>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"

namespace yonder::link {
namespace {

constexpr std::size_t kMaxTyped = 4096;
constexpr std::size_t kMaxShown = 4096;
constexpr std::string_view kRubOut = "\b \b";

Result<Fd> open_terminal(const std::string& device) {
  return open_file(device, O_RDWR | O_NOCTTY);
}

// Key by key, without echo and keyboard signals, for as long as this lives.
class KeyMode {
 public:
  explicit KeyMode(const Fd& terminal) : terminal_(terminal) {
    saved_ok_ = ::tcgetattr(terminal_.get(), &saved_) == 0;
    if (!saved_ok_) return;
    termios keys = saved_;
    keys.c_lflag &= ~static_cast<tcflag_t>(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    keys.c_cc[VMIN] = 1;
    keys.c_cc[VTIME] = 0;
    // What was typed before the question is no answer to it.
    active_ = ::tcsetattr(terminal_.get(), TCSAFLUSH, &keys) == 0;
  }
  KeyMode(const KeyMode&) = delete;
  KeyMode& operator=(const KeyMode&) = delete;
  ~KeyMode() {
    if (saved_ok_) ::tcsetattr(terminal_.get(), TCSAFLUSH, &saved_);
  }
  bool active() const { return active_; }

 private:
  const Fd& terminal_;
  termios saved_{};
  bool saved_ok_ = false;
  bool active_ = false;
};

// The right to ask at the terminal, waited for in turn.
class Turn {
 public:
  Turn(Monitor<bool>& busy, const Patience& patience) : busy_(busy) {
    bool given_up = false;
    const auto registration =
        patience.cancel.on_cancel([&] { busy_.change([&](bool&) { given_up = true; }); });
    granted_ = busy_.wait(
        patience.deadline, [&](const bool& busy_now) { return !busy_now || given_up; },
        [&](bool& busy_now) {
          if (busy_now || given_up) return false;
          busy_now = true;
          return true;
        });
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (granted_) busy_.change([](bool& busy_now) { busy_now = false; });
  }
  explicit operator bool() const { return granted_; }

 private:
  Monitor<bool>& busy_;
  bool granted_ = false;
};

void print(const Fd& terminal, std::string_view text) {
  [[maybe_unused]] const auto result = write_all(terminal, text);
}

enum class Echo { No, Yes };

std::optional<Secret> read_line(const Fd& terminal, const Fd& cancelled, Echo echo,
                                const Deadline& deadline) {
  TypedLine line;
  const auto show = [&](std::string_view text) {
    if (echo == Echo::Yes) print(terminal, text);
  };
  while (!deadline.expired()) {
    std::array<pollfd, 2> fds{pollfd{terminal.get(), POLLIN, 0},
                              pollfd{cancelled.get(), POLLIN, 0}};
    ::poll(fds.data(), fds.size(), deadline.poll_timeout());
    if (fds[1].revents != 0) return std::nullopt;
    if (fds[0].revents == 0) continue;
    char key = 0;
    const auto n = read_some(terminal, &key, 1);
    if (!n || *n == 0) return std::nullopt;
    switch (line.feed(key)) {
      case TypedLine::Step::Finished: return line.take();
      case TypedLine::Step::GivenUp: return std::nullopt;
      case TypedLine::Step::Erased: show(kRubOut); break;
      case TypedLine::Step::Cleared: show("\n"); break;
      case TypedLine::Step::Typed: show(std::string_view(&key, 1)); break;
      case TypedLine::Step::Nothing: break;
    }
  }
  return std::nullopt;
}

Echo echo_for(const Question& question) {
  const bool secret =
      question.kind != QuestionKind::HostKey && question.kind != QuestionKind::Confirmation;
  return secret ? Echo::No : Echo::Yes;
}

}  // namespace

std::string shown_prompt(std::string_view sandbox, std::string_view prompt) {
  std::string text = clean_text(prompt.substr(0, kMaxShown)).text;
  std::erase(text, '\r');  // it would let the line be overwritten
  const std::string lead = concat("[", printable(sandbox), "] ");
  std::string shown;
  for (const auto& line : split(text, '\n')) {
    if (!shown.empty()) shown += '\n';
    shown += concat(lead, line);
  }
  return shown;
}

TypedLine::Step TypedLine::erase_last() {
  if (text_.empty()) return Step::Nothing;
  const auto continues = [&] {
    return (static_cast<unsigned char>(text_.back()) & 0xC0U) == 0x80U;
  };
  while (text_.size() > 1 && continues()) text_.pop_back();
  text_.pop_back();
  return Step::Erased;
}

TypedLine::Step TypedLine::feed(char key) {
  constexpr char kCtrlC = 3;
  constexpr char kCtrlD = 4;
  constexpr char kCtrlU = 21;
  constexpr char kCtrlZ = 26;
  constexpr char kCtrlBackslash = 28;
  constexpr char kDelete = 127;
  if (text_.capacity() < kMaxTyped) text_.reserve(kMaxTyped);  // no copy is left behind by growing
  switch (key) {
    case '\r':
    case '\n': return Step::Finished;
    case kCtrlC:
    case kCtrlBackslash: return Step::GivenUp;
    case kCtrlD: return text_.empty() ? Step::GivenUp : Step::Nothing;
    case '\b':
    case kDelete: return erase_last();
    case kCtrlU: text_.clear(); return Step::Cleared;
    case kCtrlZ: return Step::Nothing;
    default: break;
  }
  if (text_.size() >= kMaxTyped) return Step::GivenUp;
  text_ += key;
  return Step::Typed;
}

bool TerminalPerson::available() {
  return open_terminal("/dev/tty").has_value();
}

std::optional<Secret> TerminalPerson::ask(const std::string& sandbox, const Question& question,
                                          const Patience& patience) {
  const Turn turn(busy_, patience);
  if (!turn) return std::nullopt;
  const auto terminal = open_terminal(device_);
  const auto wake = make_pipe();
  if (!terminal || !wake) return std::nullopt;
  const auto registration = patience.cancel.on_cancel(
      [&] { [[maybe_unused]] const auto result = write_all(wake->write, "x"); });
  const KeyMode keys(*terminal);
  if (!keys.active()) return std::nullopt;
  print(*terminal, shown_prompt(sandbox, question.prompt));
  if (question.reply == ReplyForm::YesOrNo) print(*terminal, " (yes/no) ");
  auto typed = read_line(*terminal, wake->read, echo_for(question), patience.deadline);
  print(*terminal, "\n");
  return typed;
}

void TerminalPerson::tell(const std::string& sandbox, const Question& question) {
  const auto terminal = open_terminal(device_);
  if (terminal) print(*terminal, shown_prompt(sandbox, question.prompt) + "\n");
}

}  // namespace yonder::link
