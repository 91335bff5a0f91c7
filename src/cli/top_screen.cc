#include "cli/top_screen.h"

#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cwchar>
#include <string_view>

#define NCURSES_NOMACROS 1  // NOLINT(bugprone-reserved-identifier)
#define NCURSES_WIDECHAR 1  // NOLINT(bugprone-reserved-identifier)
#include <curses.h>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/terminal_rescue.h"

namespace yonder::cli {
namespace {

// How long to wait for the rest of what an arrow key sends before it is the escape key.
constexpr int kEscapeMs = 40;

enum Pair : short { kNoPair, kGreen, kYellow, kRed };

// As for other signals, a handler finds its pipe only by a static; -1: nobody wants to know.
std::atomic<int> g_resize_pipe{-1};
static_assert(std::atomic<int>::is_always_lock_free);

void on_resize(int) {
  const int saved = errno;
  const int fd = g_resize_pipe.load();
  if (fd >= 0) {
    [[maybe_unused]] const auto written = ::write(fd, "!", 1);
  }
  errno = saved;
}

void handle_resize(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  ::sigemptyset(&action.sa_mask);
  ::sigaction(SIGWINCH, &action, nullptr);
}

struct Look {
  attr_t attributes = A_NORMAL;
  short pair = kNoPair;
};

Look look_of(TopTone tone, bool colours) {
  switch (tone) {
    case TopTone::Plain: return {};
    case TopTone::Strong: return {.attributes = A_BOLD};
    case TopTone::Dim: return {.attributes = A_DIM};
    case TopTone::Good: return {.pair = colours ? kGreen : kNoPair};
    case TopTone::Warning:
      return {.attributes = colours ? A_NORMAL : A_BOLD, .pair = colours ? kYellow : kNoPair};
    case TopTone::Bad: return {.attributes = A_BOLD, .pair = colours ? kRed : kNoPair};
  }
  return {};
}

std::optional<TopKey::Kind> function_key(wint_t code) {
  using Key = TopKey::Kind;
  switch (code) {
    case KEY_UP: return Key::Up;
    case KEY_DOWN: return Key::Down;
    case KEY_PPAGE: return Key::PageUp;
    case KEY_NPAGE: return Key::PageDown;
    case KEY_HOME: return Key::Home;
    case KEY_END: return Key::End;
    case KEY_BTAB: return Key::BackTab;
    case KEY_ENTER: return Key::Enter;
    case KEY_BACKSPACE: return Key::Backspace;
    default: return std::nullopt;
  }
}

std::optional<TopKey> character_key(wint_t character) {
  using Key = TopKey::Kind;
  constexpr wint_t kDelete = 127;
  constexpr wint_t kEscape = 27;
  switch (character) {
    case '\r':
    case '\n': return TopKey{Key::Enter, ""};
    case '\t': return TopKey{Key::Tab, ""};
    case '\b':
    case kDelete: return TopKey{Key::Backspace, ""};
    case kEscape: return TopKey{Key::Escape, ""};
    default: break;
  }
  if (character < ' ') return std::nullopt;
  std::array<char, 16> bytes{};
  std::mbstate_t state{};
  const std::size_t size = std::wcrtomb(bytes.data(), static_cast<wchar_t>(character), &state);
  if (size == static_cast<std::size_t>(-1)) return std::nullopt;
  return TopKey{Key::Text, std::string(bytes.data(), size)};
}

Error cannot_show(const std::string& terminal) {
  return {Errc::Unsupported,
          concat("this terminal (TERM=", printable(terminal), ") cannot show a full screen"),
          "`yonder top --once` prints one table; is TERM right?"};
}

}  // namespace

struct TopScreen::Curses {
  std::string leave;
  TerminalRescue rescue;
  SCREEN* screen = nullptr;
  bool colours = false;
  Fd real_stderr;

  ~Curses() {
    if (screen != nullptr) {
      ::endwin();
      ::delscreen(screen);
    }
    if (real_stderr) ::dup2(real_stderr.get(), STDERR_FILENO);
  }

  // Once the library knows the terminal.
  void note_how_to_leave() {
    for (const char* name : {"sgr0", "cnorm", "rmkx", "rmcup"}) {
      const char* bytes = ::tigetstr(name);
      if (bytes != nullptr) leave += bytes;
    }
    leave += "\r\n";
    rescue.arm(leave.c_str());
  }

  void silence_stderr() {
    if (::isatty(STDERR_FILENO) != 1) return;
    auto kept = duplicate(STDERR_FILENO);
    const Fd nowhere(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (!kept || !nowhere) return;
    real_stderr = *std::move(kept);
    ::dup2(nowhere.get(), STDERR_FILENO);
  }

  void choose_colours(bool wanted) {
    colours = wanted && ::has_colors() && ::start_color() == OK;
    if (!colours) return;
    ::use_default_colors();
    ::init_pair(kGreen, COLOR_GREEN, -1);
    ::init_pair(kYellow, COLOR_YELLOW, -1);
    ::init_pair(kRed, COLOR_RED, -1);
  }
};

void TopScreen::prepare() {
  std::setlocale(LC_CTYPE, "");
  // Whoever has set none has a terminal that shows UTF-8 nevertheless.
  if (std::string_view(::nl_langinfo(CODESET)) != "UTF-8") std::setlocale(LC_CTYPE, "C.UTF-8");
}

Result<std::unique_ptr<TopScreen>> TopScreen::open(const std::string& terminal, bool colours) {
  if (terminal.empty() || terminal == "dumb") return cannot_show(terminal);
  TRY_ASSIGN(Pipe resizes, make_pipe());
  TRY(set_nonblocking(resizes.read));
  TRY(set_nonblocking(resizes.write));
  // Before the library looks: it leaves a handler alone.
  g_resize_pipe = resizes.write.get();
  handle_resize(on_resize);
  auto curses = std::make_unique<Curses>();
  curses->screen = ::newterm(terminal.c_str(), stdout, stdin);
  std::unique_ptr<TopScreen> screen(new TopScreen(std::move(curses), std::move(resizes)));
  if (screen->curses_->screen == nullptr) return cannot_show(terminal);
  if (::tigetstr("cup") == nullptr) return cannot_show(terminal);  // moves the cursor
  screen->curses_->note_how_to_leave();
  screen->curses_->silence_stderr();
  screen->curses_->choose_colours(colours);
  ::cbreak();
  ::noecho();
  ::nonl();
  ::curs_set(0);
  ::set_escdelay(kEscapeMs);
  ::keypad(stdscr, TRUE);
  ::nodelay(stdscr, TRUE);
  return screen;
}

TopScreen::TopScreen(std::unique_ptr<Curses> curses, Pipe resizes)
    : curses_(std::move(curses)), resizes_(std::move(resizes)) {}

TopScreen::~TopScreen() {
  handle_resize(SIG_DFL);
  g_resize_pipe = -1;
}

TopSize TopScreen::size() const {
  return {.width = static_cast<std::size_t>(std::max(::getmaxx(stdscr), 0)),
          .height = static_cast<std::size_t>(std::max(::getmaxy(stdscr), 0))};
}

void TopScreen::paint(const std::vector<TopLine>& lines) {
  ::werase(stdscr);
  const TopSize room = size();
  for (std::size_t row = 0; row < lines.size() && row < room.height; ++row) {
    const TopLine& line = lines[row];
    const attr_t chosen = line.chosen ? A_REVERSE : A_NORMAL;
    ::wmove(stdscr, static_cast<int>(row), 0);
    for (const auto& span : line.spans) {
      const Look look = look_of(span.tone, curses_->colours);
      ::wattr_set(stdscr, look.attributes | chosen, look.pair, nullptr);
      ::waddnstr(stdscr, span.text.data(), static_cast<int>(span.text.size()));
    }
    // A full line has moved the cursor into the next one.
    const bool has_room = ::getcury(stdscr) == static_cast<int>(row);
    if (line.chosen && has_room) ::wchgat(stdscr, -1, A_REVERSE, kNoPair, nullptr);
    ::wattr_set(stdscr, A_NORMAL, kNoPair, nullptr);
  }
  ::wrefresh(stdscr);
}

std::optional<TopKey> TopScreen::next_key() {
  while (true) {
    wint_t code = 0;
    const int kind = ::wget_wch(stdscr, &code);
    if (kind == ERR) return std::nullopt;
    if (kind == KEY_CODE_YES) {
      if (const auto known = function_key(code)) return TopKey{*known, ""};
    } else if (auto key = character_key(code)) {
      return key;
    }
  }
}

int TopScreen::resize_fd() const {
  return resizes_.read.get();
}

void TopScreen::take_new_size() {
  std::array<char, 64> bytes{};
  while (::read(resizes_.read.get(), bytes.data(), bytes.size()) > 0) {
  }
  struct winsize size {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) {
    return;
  }
  ::resizeterm(size.ws_row, size.ws_col);
  ::clearok(curscr, TRUE);
}

}  // namespace yonder::cli
