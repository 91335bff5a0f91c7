#include "cli/render.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <limits>

#include "base/text.h"
#include "cli/exit_status.h"
#include "cli/one_line.h"
#include "ops/operation.h"

namespace yonder::cli {
namespace {

// A pipe that poll() calls writable takes at least this much without blocking (POSIX's PIPE_BUF is
// 512, every system of today has 4096 or more for a pipe that is empty enough).
constexpr std::size_t kSafePiece = 4096;

// Neither a file nor /dev/null keeps a writer waiting.
bool never_blocks(const struct stat& about) {
  struct stat null {};
  return S_ISREG(about.st_mode) || (S_ISCHR(about.st_mode) && ::stat("/dev/null", &null) == 0 &&
                                    about.st_rdev == null.st_rdev);
}

// A pipe, opened once more: those who share the descriptor that we were given would not expect it
// to stop blocking. Nothing where that cannot be had.
Fd own_way_into(int fd, const struct stat& about) {
  if (!S_ISFIFO(about.st_mode) || (::fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY) return {};
  return Fd(::open(concat("/proc/self/fd/", fd).c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
}

bool has_variable(const std::vector<std::string>& environment, std::string_view start) {
  return std::any_of(environment.begin(), environment.end(),
                     [&](const std::string& entry) { return entry.starts_with(start); });
}

void write_stderr(std::string_view line) {
  Output::to_stderr(-1).write(line);  // there is nobody left to tell when this fails
}

}  // namespace

void occupy_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    // Takes the lowest free number, which is this one. Output must not be lost without a word;
    // messages may, when somebody has closed stderr to be rid of them.
    ::open("/dev/null", (fd == STDERR_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

Output::Output(int fd, int wake) : fd_(fd), wake_(wake), piece_(kSafePiece) {
  struct stat about {};
  if (::fstat(fd, &about) != 0) return;
  own_ = own_way_into(fd, about);
  if (own_) fd_ = own_.get();
  if (own_ || never_blocks(about)) piece_ = std::numeric_limits<ssize_t>::max();
}

Output Output::to_stdout(int wake) {
  return {STDOUT_FILENO, wake};
}

Output Output::to_stderr(int wake) {
  return {STDERR_FILENO, wake};
}

Written Output::write(std::string_view bytes) const {
  while (!bytes.empty()) {
    std::array<pollfd, 2> fds{pollfd{fd_, POLLOUT, 0}, pollfd{wake_, POLLIN, 0}};
    if (::poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return Written::Failed;
    if (fds[0].revents == 0) {
      if (fds[1].revents != 0) return Written::Interrupted;
      continue;
    }
    const ssize_t n = ::write(fd_, bytes.data(), std::min(bytes.size(), piece_));
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EPIPE) {
      return Written::ReaderGone;
    } else if (errno != EINTR && errno != EAGAIN) {
      return Written::Failed;
    }
  }
  return Written::Yes;
}

int status_after(Written written, int error) {
  switch (written) {
    case Written::Yes: return kExitSuccess;
    case Written::ReaderGone: return kExitReaderGone;
    case Written::Interrupted: return kExitFailure;
    case Written::Failed: break;
  }
  say(concat("cannot write the output: ", std::strerror(error)));
  return kExitUnwritten;
}

int print_then(std::string_view text, int status, const std::vector<std::string>& if_unwritten) {
  const Written written = Output::to_stdout(-1).write(text);
  if (written == Written::Yes) return status;
  const int failed = status_after(written, errno);
  for (const auto& line : if_unwritten) say(line);
  return failed;
}

int print_json_then(const Json& value, int status, const std::vector<std::string>& if_unwritten) {
  return print_then(dump_json(value) + "\n", status, if_unwritten);
}

void say(std::string_view message) {
  write_stderr(concat("yonder: ", one_line(message), "\n"));
}

// A message may end in a list, whose lines begin with two spaces. Other line ends are foreign.
void say_error(const Error& error) {
  std::string_view rest = error.message;
  const std::size_t list = rest.find("\n  ");
  say(rest.substr(0, list));
  while (rest.find("\n  ") != std::string_view::npos) {
    rest.remove_prefix(rest.find("\n  ") + 3);
    write_stderr(concat("  ", one_line(rest.substr(0, rest.find("\n  "))), "\n"));
  }
  if (!error.hint.empty()) write_stderr(concat("  ", one_line(error.hint), "\n"));
}

void show_failure(const Error& error, Format format) {
  if (format == Format::Json) {
    print_json_then(ops::error_json(error));
  } else {
    say_error(error);
  }
}

Screen screen(const std::vector<std::string>& environment) {
  Screen screen{.terminal = ::isatty(STDOUT_FILENO) == 1};
  if (!screen.terminal) return screen;
  // NO_COLOR counts when it is set to anything but nothing.
  const bool plain =
      (has_variable(environment, "NO_COLOR=") &&
       std::find(environment.begin(), environment.end(), "NO_COLOR=") == environment.end()) ||
      has_variable(environment, "TERM=dumb");
  screen.styled = !plain;
  struct winsize size {};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) screen.width = size.ws_col;
  return screen;
}

void redraw(std::string_view line) {
  write_stderr(concat("\r", line, "\x1b[K"));
}

std::size_t stderr_width() {
  struct winsize size {};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  constexpr std::size_t kUsual = 80;
  return known ? size.ws_col : kUsual;
}

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

}  // namespace yonder::cli
