#include "tree/root.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <memory>

#include "base/clean_text.h"
#include "base/home_path.h"
#include "base/text.h"
#include "tree/extended_attributes.h"
#include "tree/holds.h"
#include "tree/homes.h"

namespace yonder::tree {
namespace {

struct Free {
  void operator()(char* text) const { std::free(text); }
};

std::string without_trailing_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

// Links resolved as far as the path exists; the rest as it was written.
std::string real_path(const std::string& path) {
  std::string head = without_trailing_slashes(path);
  std::string rest;
  while (true) {
    const std::unique_ptr<char, Free> real(::realpath(head.c_str(), nullptr));
    if (real) {
      std::string found(real.get());
      if (rest.empty()) return found;
      return found == "/" ? "/" + rest : found + "/" + rest;
    }
    const std::size_t slash = head.rfind('/');
    if (slash == std::string::npos || head.size() <= 1) return path;
    const std::string part = head.substr(slash + 1);
    rest = rest.empty() ? part : part + "/" + rest;
    head = slash == 0 ? "/" : head.substr(0, slash);
  }
}

bool has_dots(const std::string& path) {
  for (const auto& part : split(path, '/')) {
    if (part == "..") return true;
  }
  return false;
}

// Machines differ by the boot, and what runs in a container by its root directory.
std::string system_id() {
  static const std::string id = [] {
    struct stat top {};
    const Fd file(::open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC));
    std::array<char, 64> text{};
    if (!file || ::stat("/", &top) != 0) return std::string();
    const auto size = read_some(file, text.data(), text.size());
    if (!size || *size == 0) return std::string();
    return concat(trim(std::string_view(text.data(), *size)), " ", top.st_dev, " ", top.st_ino);
  }();
  return id;
}

enum class Missing { IsNone, IsMade };

// A directory by a path whose links are resolved already: one that has become a link since leads
// elsewhere, and is not followed.
Result<Fd> open_resolved(const std::string& path, Missing missing, mode_t last_mode = 0777) {
  Fd at(::open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
  const auto parts = split(path, '/');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part.empty()) continue;
    const mode_t mode = i + 1 == parts.size() ? last_mode : 0777;
    if (missing == Missing::IsMade && ::mkdirat(at.get(), part.c_str(), mode) != 0 &&
        errno != EEXIST) {
      return errno_error(printable(path));
    }
    at = Fd(::openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!at && errno == ENOENT && missing == Missing::IsNone) return Fd();
    if (!at) return errno_error(printable(path));
  }
  Fd directory(::openat(at.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return errno_error(printable(path));
  return directory;
}

bool is_or_is_below(const std::string& place, const std::string& path) {
  return path == "/" || place == path || place.starts_with(path + "/");
}

// Which of these directories the opened one is, or holds; empty: none. What the names tell is known
// before any of them is looked at: on a dead mount that would take for ever.
std::string held_by(const Fd& opened, const std::string& path, const std::string& home,
                    const std::vector<std::string>& precious) {
  struct stat info {};
  if (!opened || ::fstat(opened.get(), &info) != 0) return "";
  std::vector<std::string> places{home};
  places.insert(places.end(), precious.begin(), precious.end());
  if (!precious.empty()) {
    for (auto& place : homes_of_people()) places.push_back(std::move(place));
  }
  for (const auto& place : places) {
    if (is_or_is_below(place, path)) return place;
  }
  for (const auto& place : places) {
    if (is_or_holds(info, place)) return place;
  }
  return "";
}

}  // namespace

Result<std::string> absolute_path(const std::string& path, const std::string& base,
                                  const std::string& home) {
  if (path.find('\0') != std::string::npos) {
    return Error{Errc::InvalidArgument, "a path holds a NUL byte", ""};
  }
  if (path.starts_with('/') || path.starts_with('~')) return expand_tilde(path, home);
  std::string start = home;
  if (base.empty()) {
    TRY(path_from_home(path, "", home));  // refused where there is none
  } else {
    TRY_ASSIGN(start, absolute_path(base, "", home));
  }
  if (path.empty() || path == ".") return start;
  return concat(start, "/", path.starts_with("./") ? path.substr(2) : path);
}

Result<Root> Root::find(const OpenTree& wanted, const std::string& home) {
  TRY_ASSIGN(const std::string path, absolute_path(wanted.path, wanted.base, home));
  struct stat info {};
  const bool there = ::stat(path.c_str(), &info) == 0;
  if (!there && errno != ENOENT) return errno_error(printable(path));
  if (!there && has_dots(path)) {
    return Error{
        Errc::InvalidArgument,
        concat("'", printable(path), "' does not exist, and '..' in it could lead anywhere"),
        "give the path without '..'"};
  }
  Root root;
  root.state_.home = real_path(home);
  root.state_.exists = there;
  root.state_.is_directory = there && S_ISDIR(info.st_mode);
  std::string directory = real_path(path);
  if (root.state_.is_directory || (!there && (wanted.file.empty() || path.ends_with("/")))) {
    root.state_.file = wanted.file;  // a file goes into it under its own name
  } else {
    const bool may_be = wanted.role == Role::Source || !wanted.file.empty();
    if (!may_be) {
      return Error{Errc::Conflict,
                   concat("'", printable(path), "' is a file, and a directory is to go there"),
                   "choose another place, or move the file away"};
    }
    if (there && !S_ISREG(info.st_mode)) {
      return Error{Errc::Unsupported,
                   concat("'", printable(path), "' is neither a file nor a directory"), ""};
    }
    const std::size_t slash = directory.rfind('/');
    root.state_.file = directory.substr(slash + 1);
    directory = slash == 0 ? "/" : directory.substr(0, slash);
  }
  root.state_.path = directory;
  TRY_ASSIGN(Fd opened, open_resolved(directory, Missing::IsNone));
  if (wanted.role == Role::Target) {
    root.state_.holds = held_by(opened, directory, root.state_.home, wanted.precious);
  }
  struct stat found {};
  if (opened && ::fstat(opened.get(), &found) == 0) {
    root.state_.mode = found.st_mode & 01777U;
    root.state_.mtime_ns = mtime_of(found);
  }
  root.state_.keeps_attributes = keeps_user_attributes(directory);
  root.state_.system = system_id();
  if (root.state_.file.empty()) root.set_mode(wanted.mode);
  root.directory_ = std::move(opened);
  return root;
}

Result<int> Root::get() const {
  if (directory_) return directory_.get();
  return Error{Errc::NotFound, concat("'", printable(state_.path), "' does not exist"), ""};
}

Result<int> Root::make() {
  if (directory_) return directory_.get();
  TRY_ASSIGN(directory_, open_resolved(state_.path, Missing::IsMade, (mode_ & 0777U) | 0700U));
  return directory_.get();
}

}  // namespace yonder::tree
