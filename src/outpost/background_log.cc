#include "outpost/background_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clean_text.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/home_path.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

Error refused(const std::string& log_file, std::string_view why) {
  return Error{Errc::InvalidArgument, concat("log_file '", printable(log_file), "' ", why),
               "nothing was run; give the path of a file that can be written"};
}

std::string words_for(int error_number) {
  return concat("cannot be written: ", std::strerror(error_number));
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.find_last_of('/');
  return slash == 0 ? "/" : path.substr(0, slash);
}

// Without its empty and `.` parts. `..` stays: what it means depends on links.
std::string tidied(const std::string& path) {
  std::string tidy;
  for (const auto& part : split(path, '/')) {
    if (!part.empty() && part != ".") tidy += "/" + part;
  }
  return tidy.empty() || path.ends_with('/') ? tidy + "/" : tidy;
}

Result<std::string> resolve(const std::string& log_file, const std::string& directory,
                            const std::string& home) {
  if (log_file.find('\0') != std::string::npos) return refused(log_file, "holds a NUL byte");
  auto whole = path_from_home(log_file, directory, home);
  if (whole) return tidied(*whole);
  Error error = std::move(whole).error().context("log_file");
  error.hint = concat("nothing was run; ", error.hint);
  return error;
}

// What is not there yet can be made below the nearest directory that is.
Result<void> check_can_be_made(const std::string& path) {
  std::string directory = parent_of(path);
  struct stat info {};
  while (::stat(directory.c_str(), &info) != 0) {
    if (errno != ENOENT) return refused(path, words_for(errno));
    directory = parent_of(directory);
  }
  if (!S_ISDIR(info.st_mode)) return refused(path, words_for(ENOTDIR));
  if (::access(directory.c_str(), W_OK | X_OK) != 0) return refused(path, words_for(errno));
  return {};
}

Result<std::uint64_t> check_writable(const std::string& path) {
  struct stat info {};
  if (path.ends_with('/')) return refused(path, "is a directory");
  if (::stat(path.c_str(), &info) != 0) {
    if (errno != ENOENT) return refused(path, words_for(errno));
    TRY(check_can_be_made(path));
    return std::uint64_t{0};
  }
  if (S_ISDIR(info.st_mode)) return refused(path, "is a directory");
  if (!S_ISREG(info.st_mode)) return refused(path, "is not a regular file");
  if (::access(path.c_str(), W_OK) != 0) return refused(path, words_for(errno));
  return static_cast<std::uint64_t>(info.st_size);
}

// What cannot be read may end in the middle of a line.
bool ends_in_a_line(const Fd& log, off_t size) {
  char last = 0;
  return size == 0 || (::pread(log.get(), &last, 1, size - 1) == 1 && last == '\n');
}

}  // namespace

Result<LogPlace> find_log_place(const std::string& log_file, const std::string& directory,
                                const std::string& home) {
  TRY_ASSIGN(std::string path, resolve(log_file, directory, home));
  TRY_ASSIGN(const std::uint64_t length, check_writable(path));
  return LogPlace{.path = std::move(path), .length = length};
}

UserLog::UserLog(UserLog&& other) noexcept : made_(std::exchange(other.made_, {})) {}

UserLog::~UserLog() {
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) {
    ::rmdir(path->c_str());  // only what is still empty
  }
}

Result<void> UserLog::make_parents(const std::string& path) {
  const std::string parent = parent_of(path);
  if (::mkdir(parent.c_str(), 0777) == 0) {
    made_.push_back(parent);
    return {};
  }
  if (errno == EEXIST) return {};
  if (errno != ENOENT || parent == "/") return errno_error("mkdir");
  TRY(make_parents(parent));
  if (::mkdir(parent.c_str(), 0777) == 0) {
    made_.push_back(parent);
  } else if (errno != EEXIST) {
    return errno_error("mkdir");
  }
  return {};
}

Result<UserLog> UserLog::create(const std::string& path) {
  UserLog log;
  if (auto made = log.make_parents(path); !made) return refused(path, made.error().message);
  const Fd fresh(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  // Not taken back when the start fails: another run may write into it by then.
  if (fresh) return log;
  // Through a link too, and without waiting should it have become a pipe meanwhile.
  const Fd there(
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666));
  if (!there) return refused(path, words_for(errno));
  return log;
}

void append_exit_code(const RunRecord& record, int code) {
  const std::string path = record.path("log");
  constexpr int kCareful = O_APPEND | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
  Fd log(::open(path.c_str(), O_RDWR | kCareful));
  if (!log) log = Fd(::open(path.c_str(), O_WRONLY | kCareful));
  struct stat info {};
  if (!log || ::fstat(log.get(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  const char* start = ends_in_a_line(log, info.st_size) ? "" : "\n";
  [[maybe_unused]] const auto said =
      write_all(log, concat(start, "EXIT_CODE=", code, "\n")).has_value();
}

}  // namespace yonder::outpost
