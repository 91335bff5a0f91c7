#include "config/trusted_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <memory>

#include "base/fd.h"
#include "base/file.h"
#include "base/quote.h"
#include "base/text.h"

namespace yonder::config {
namespace {

constexpr mode_t kOthersMayWrite = 022;

std::string real_path(const std::string& path) {
  const std::unique_ptr<char, void (*)(void*)> found(::realpath(path.c_str(), nullptr), std::free);
  return found ? found.get() : path;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

Error not_trusted(const std::string& what, const std::string& why, const std::string& path,
                  bool others_write) {
  const std::string fix = others_write
                              ? ShellText("chmod go-w").arg(path).str()
                              : ShellText("chown").arg(std::to_string(::geteuid())).arg(path).str();
  return Error{Errc::Config, concat(what, " ", why, ", so the settings are not read"),
               concat("look at what it says, then run: ", fix)};
}

Result<void> check_directories(const TrustedPath& file, Watched& watched) {
  const std::string home = real_path(file.home);
  std::string path = real_path(file.path);
  do {
    path = parent_of(path);
    struct stat info {};
    if (::stat(path.c_str(), &info) != 0) return errno_error("stat " + path);
    const std::string why =
        why_not_trusted({.owner = info.st_uid, .mode = info.st_mode, .me = ::geteuid()});
    if (why.empty()) continue;
    watched.add_file(path);
    return not_trusted(concat("the directory ", path, " of ", file.shown), why, path,
                       (info.st_mode & kOthersMayWrite) != 0);
  } while (path != home && path != "/");
  return {};
}

Result<std::string> read_all(const Fd& fd, std::uint64_t max_bytes, const std::string& shown) {
  std::string text;
  std::array<char, 16384> buffer{};
  while (true) {
    auto n = read_some(fd, buffer.data(), buffer.size());
    if (!n) return Error{Errc::Config, concat(shown, ": ", n.error().message), ""};
    if (*n == 0) return text;
    text.append(buffer.data(), *n);
    if (text.size() > max_bytes) {
      return Error{Errc::Config, concat(shown, ": larger than ", max_bytes, " bytes"), ""};
    }
  }
}

}  // namespace

std::string why_not_trusted(const Ownership& seen) {
  if (seen.owner != seen.me && seen.owner != 0) {
    return concat("belongs to another user (uid ", seen.owner, ")");
  }
  const bool sticky = S_ISDIR(seen.mode) && (seen.mode & S_ISVTX) != 0;
  if ((seen.mode & kOthersMayWrite) == 0 || sticky) return {};
  return "may be written by other users";
}

Result<TrustedText> read_trusted_file(const TrustedPath& file, std::uint64_t max_bytes,
                                      Watched& watched) {
  // A pipe would make us wait for its writer.
  auto fd = open_file(file.path, O_RDONLY | O_NONBLOCK);
  if (!fd) return Error{Errc::Config, fd.error().message, ""};
  struct stat info {};
  if (::fstat(fd->get(), &info) != 0) return errno_error("stat " + file.shown);
  if (!S_ISREG(info.st_mode)) {
    return Error{Errc::Config, file.shown + " is not a regular file", ""};
  }
  const std::string why =
      why_not_trusted({.owner = info.st_uid, .mode = info.st_mode, .me = ::geteuid()});
  if (!why.empty()) {
    return not_trusted(file.shown, why, file.path, (info.st_mode & kOthersMayWrite) != 0);
  }
  TRY(check_directories(file, watched));
  TRY_ASSIGN(std::string text, read_all(*fd, max_bytes, file.shown));
  return TrustedText{std::move(text), info.st_mode};
}

}  // namespace yonder::config
