#include "tree/file_path.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "base/clean_text.h"
#include "base/home_path.h"
#include "base/text.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace yonder::tree {
namespace {

constexpr std::size_t kLongestPath = 4096;  // as the kernel sees it
constexpr std::size_t kBlock = 256UL * 1024;

std::string to_hex(std::uint64_t hash) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = text.size(); i-- > 0; hash >>= 4U) text[i] = kDigits[hash & 15U];
  return text;
}

Errc code_for(int error_number) {
  switch (error_number) {
    case ENOENT: return Errc::NotFound;
    case EEXIST:
    case ENOTEMPTY:
    case ETXTBSY:
    case EBUSY: return Errc::Conflict;
    case EACCES:
    case EPERM:
    case EROFS: return Errc::Denied;
    case EISDIR:
    case ENOTDIR:
    case ELOOP:
    case EINVAL:
    case EXDEV:
    case ENAMETOOLONG: return Errc::InvalidArgument;
    case ENOSPC:
    case EDQUOT: return Errc::NoRoom;
    default: return Errc::Internal;
  }
}

const char* hint_for(int error_number) {
  switch (error_number) {
    case ENOENT: return "list the directory to see what is there";
    case EACCES:
    case EPERM: return "the user over there may not do this; see who owns it";
    case ENOSPC:
    case EDQUOT: return "free some space there, then try again";
    case ELOOP: return "the links lead in a circle";
    default: return "";
  }
}

}  // namespace

Result<std::string> absolute_path(std::string_view path, const std::string& home) {
  const auto bad = [](std::string_view what, std::string_view hint) {
    return Error{Errc::InvalidArgument, std::string(what), std::string(hint)};
  };
  if (path.empty()) return bad("the path is empty", "");
  if (path.find('\0') != std::string_view::npos) return bad("a path cannot hold a NUL byte", "");
  TRY_ASSIGN(const std::string whole, path_from_home(path, "", home));
  std::string absolute;
  for (const std::string& part : split(whole, '/')) {
    if (part.empty() || part == ".") continue;
    absolute += '/';
    absolute += part;
  }
  if (absolute.size() >= kLongestPath) return path_error("use", path.substr(0, 100), ENAMETOOLONG);
  return absolute.empty() ? "/" : absolute;
}

Result<PathParts> name_and_directory(const std::string& absolute) {
  const std::size_t slash = absolute.find_last_of('/');
  PathParts parts{slash == 0 ? "/" : absolute.substr(0, slash), absolute.substr(slash + 1)};
  if (parts.name.empty() || parts.name == "." || parts.name == "..") {
    return Error{Errc::InvalidArgument, concat(printable(absolute), " has no name of its own"),
                 "end the path with the name of the entry that is meant"};
  }
  return parts;
}

Error path_error(std::string_view doing, std::string_view path, int error_number) {
  Error error = errno_error(concat(doing, " ", printable(path)), error_number);
  error.code = code_for(error_number);
  error.hint = hint_for(error_number);
  return error;
}

files::Type file_type_of(mode_t mode) {
  if (S_ISDIR(mode)) return files::Type::Directory;
  if (S_ISLNK(mode)) return files::Type::Symlink;
  if (S_ISFIFO(mode)) return files::Type::Fifo;
  if (S_ISSOCK(mode)) return files::Type::Socket;
  if (S_ISBLK(mode)) return files::Type::Block;
  if (S_ISCHR(mode)) return files::Type::Char;
  return files::Type::File;
}

Result<void> check_regular(const struct stat& info, std::string_view path) {
  if (S_ISREG(info.st_mode)) return {};
  if (S_ISDIR(info.st_mode)) {
    return Error{Errc::InvalidArgument, concat(printable(path), " is a directory"),
                 "list it to see what is in it"};
  }
  return Error{Errc::InvalidArgument,
               concat(printable(path), " is no regular file but a ",
                      S_ISBLK(info.st_mode) || S_ISCHR(info.st_mode)
                          ? "device"
                          : files::name_of(file_type_of(info.st_mode))),
               "only regular files are read and written here"};
}

Result<Fd> open_regular(const std::string& path) {
  // Looked at before it is opened: opening some devices does something.
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return path_error("read", path, errno);
  TRY(check_regular(info, path));
  Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file) return path_error("read", path, errno);
  if (::fstat(file.get(), &info) != 0) return path_error("read", path, errno);
  TRY(check_regular(info, path));
  return file;
}

Result<Fd> open_directory(const std::string& path) {
  Fd directory(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return path_error("open directory", path, errno);
  return directory;
}

int write_fully(const Fd& file, std::string_view content, std::uint64_t& written) {
  written = 0;
  while (!content.empty()) {
    const ssize_t n = ::write(file.get(), content.data(), content.size());
    if (n < 0 && errno != EINTR) return errno;
    if (n <= 0) continue;
    content.remove_prefix(static_cast<std::size_t>(n));
    written += static_cast<std::uint64_t>(n);
  }
  return 0;
}

int write_fully(const Fd& file, std::string_view content) {
  std::uint64_t written = 0;
  return write_fully(file, content, written);
}

std::string hash_of(std::string_view content) {
  return to_hex(XXH3_64bits(content.data(), content.size()));
}

Result<std::string> hash_file(const Fd& file, std::uint64_t limit) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (!state) return Error{Errc::Internal, "out of memory", ""};
  XXH3_64bits_reset(state.get());
  std::vector<char> buffer(kBlock);
  for (off_t at = 0;;) {
    const ssize_t n = ::pread(file.get(), buffer.data(), buffer.size(), at);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read");
    if (n == 0) return to_hex(XXH3_64bits_digest(state.get()));
    XXH3_64bits_update(state.get(), buffer.data(), static_cast<std::size_t>(n));
    at += n;
    if (static_cast<std::uint64_t>(at) > limit) return std::string();
  }
}

}  // namespace yonder::tree
