#include "tree/leftovers.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/clock.h"
#include "base/fd.h"
#include "tree/beneath.h"
#include "tree/directory_names.h"
#include "tree/late_errors.h"
#include "tree/part.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kLettersOfASync = 8;
constexpr std::size_t kLettersOfAWrite = 12;

bool are_letters(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); });
}

bool are_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

enum class Writer : std::uint8_t { Lives, Gone, Unknown };

Writer writer_of(int directory, const std::string& name, const struct stat& info) {
  // A link is there for a moment, and cannot be locked.
  if (S_ISLNK(info.st_mode)) return Writer::Gone;
  const Fd file(::openat(directory, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return Writer::Unknown;
  const int locked = lock_file(file.get(), LOCK_EX, Deadline::after(Duration::zero()));
  if (locked == EWOULDBLOCK) return Writer::Lives;
  return locked == 0 && !tells_errors_late(file.get()) ? Writer::Gone : Writer::Unknown;
}

}  // namespace

bool is_temporary_name(std::string_view name) {
  if (!name.starts_with(kTemporaryPrefix)) return false;
  name.remove_prefix(kTemporaryPrefix.size());
  if (name.size() == kLettersOfAWrite && are_letters(name)) return true;
  return name.size() > kLettersOfASync && name[kLettersOfASync] == '-' &&
         are_letters(name.substr(0, kLettersOfASync)) &&
         are_digits(name.substr(kLettersOfASync + 1));
}

void lock_temporary(int file, bool on_another_machine) {
  if (on_another_machine) return;
  // Where there are no locks, its youth protects it.
  [[maybe_unused]] const int locked = ::flock(file, LOCK_SH | LOCK_NB);
}

bool remove_abandoned(int directory, const std::string& name, std::int64_t older_than_ms) {
  if (!is_temporary_name(name)) return false;
  struct stat info {};
  if (::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return errno == ENOENT;
  if (!S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode)) return false;
  const std::int64_t age = wall_clock_ms() - std::int64_t{info.st_ctim.tv_sec} * 1000;
  if (age < older_than_ms) return false;
  const Writer writer = writer_of(directory, name, info);
  if (writer == Writer::Lives) return false;
  if (writer == Writer::Unknown && age < kForgottenPart) return false;
  return ::unlinkat(directory, name.c_str(), 0) == 0 || errno == ENOENT;
}

bool remove_leftover(int root, const std::string& path) {
  const std::string name(split_path(path).name);
  if (is_part_name(name)) {
    remove_old_part(root, path, kForgottenPart);
    return false;
  }
  if (!is_temporary_name(name)) return false;
  Directories directories(root);
  const auto directory = directories.open(split_path(path).parent);
  return directory && remove_abandoned(*directory, name, kAbandoned);
}

void remove_leftovers_in(int directory) {
  const auto names = names_in(directory);
  if (!names) return;
  for (const auto& name : *names) remove_leftover(directory, name);
}

}  // namespace yonder::tree
