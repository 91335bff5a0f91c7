#include "tree/file_replacement.h"

#include <fcntl.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>

#include "base/clean_text.h"
#include "base/text.h"
#include "tree/extended_attributes.h"
#include "tree/file_path.h"
#include "tree/late_errors.h"
#include "tree/leftovers.h"

namespace yonder::tree {
namespace {

mode_t current_umask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

Error changed(const FilePlace& place, std::string_view how) {
  return Error{Errc::Conflict, concat(printable(place.path), " ", how),
               "read it again, and repeat the change with the hash that it has now"};
}

// The owner first: changing it takes away setuid bits, which are then set again. False when the
// file has another group now, for which the old permissions were not meant.
bool keep_owner(const Fd& file, const struct stat& old, files::Written& written, mode_t& mode) {
  struct stat now {};
  if (::fstat(file.get(), &now) != 0) return false;
  if (now.st_uid == old.st_uid && now.st_gid == old.st_gid) return true;
  if (::fchown(file.get(), old.st_uid, old.st_gid) == 0) return true;
  const bool group =
      now.st_gid == old.st_gid || ::fchown(file.get(), static_cast<uid_t>(-1), old.st_gid) == 0;
  if (group && now.st_uid == old.st_uid) return true;
  mode &= 01777U;  // such a bit of another owner would mean something else now
  written.warnings.emplace_back(
      group ? "the file belongs to you now: its owner could not be kept"
            : "the file belongs to you and your group now: its owner and group could not be kept");
  return group;
}

// What a write to the file itself would take away, or what belongs to its contents.
bool goes_with_the_contents(const std::string& attribute) {
  return attribute == "security.capability" || attribute == "security.ima" ||
         attribute == "security.evm";
}

bool has_attribute(const Fd& file, const std::string& name, const std::string& value) {
  std::string own(value.size() + 1, '\0');
  const ssize_t n = ::fgetxattr(file.get(), name.c_str(), own.data(), own.size());
  return n >= 0 && std::string_view(own.data(), static_cast<std::size_t>(n)) == value;
}

bool give_attribute(const Fd& file, const std::string& name, const std::string& value) {
  return ::fsetxattr(file.get(), name.c_str(), value.data(), value.size(), 0) == 0 ||
         has_attribute(file, name, value);
}

// Its access control list; says what the mode may be. No user may do more with the new file than
// with the old one: where the list cannot be kept, there are fewer permissions.
mode_t keep_access(const Fd& file, const FilePlace& place, bool same_group, mode_t mode,
                   files::Written& written) {
  const auto list = attribute_value(place.directory.get(), place.name, std::string(kAccessList));
  if (!list) {
    // The directory may have given it one.
    ::fremovexattr(file.get(), kAccessList.data());
    return same_group ? mode : mode_for_another_group(mode);
  }
  if (same_group && give_attribute(file, std::string(kAccessList), *list)) return mode;
  ::fremovexattr(file.get(), kAccessList.data());
  mode = mode_without_list(mode, *list);
  written.warnings.emplace_back(
      "its access control list could not be kept; a mode that was not asked for is one by which no "
      "user gains access");
  return same_group ? mode : mode_for_another_group(mode);
}

void keep_attributes(const Fd& file, const FilePlace& place, files::Written& written) {
  std::vector<std::string> lost;
  for (const std::string& name : attribute_names(place.directory.get(), place.name)) {
    if (name == kAccessList || goes_with_the_contents(name)) continue;
    const auto value = attribute_value(place.directory.get(), place.name, name);
    if (!value || !give_attribute(file, name, *value)) lost.push_back(printable(name));
  }
  if (lost.empty()) return;
  written.warnings.push_back(
      concat("extended attributes that could not be kept: ", join(lost, ", ")));
}

Result<void> fill(const Fd& file, const FilePlace& place, std::string_view content) {
  if (const int failed = write_fully(file, content); failed != 0) {
    return path_error("write", place.path, failed);
  }
  if (::fsync(file.get()) != 0) return path_error("write", place.path, errno);
  return {};
}

struct Putting {
  files::Written& written;
  Fd& file;  // the new one, when it is done
  PlaceTrash& trash;
};

Result<void> put(const FilePlace& place, const OldFile& old, std::string_view content,
                 std::optional<std::uint32_t> mode, const Putting& with) {
  const std::string temporary = temporary_name();
  with.file = Fd(::openat(place.directory.get(), temporary.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!with.file) return path_error("write", place.path, errno);
  lock_temporary(with.file.get(), tells_errors_late(with.file.get()));
  const auto finish = [&]() -> Result<void> {
    TRY(fill(with.file, place, content));
    mode_t wanted = old.info ? old.info->st_mode & 07777U : 0666U & ~current_umask();
    if (mode) wanted = *mode & 07777U;
    if (old.info) {
      const bool same_group = keep_owner(with.file, *old.info, with.written, wanted);
      const mode_t safe = keep_access(with.file, place, same_group, wanted, with.written);
      if (!mode) wanted = safe;  // what the caller asks for is meant
      keep_attributes(with.file, place, with.written);
    }
    if (::fchmod(with.file.get(), wanted) != 0) {
      return path_error("set the mode of", place.path, errno);
    }
    return with.trash.replace(place, temporary);
  };
  auto done = finish();
  if (!done) ::unlinkat(place.directory.get(), temporary.c_str(), 0);
  return done;
}

}  // namespace

Result<OldFile> open_old(const FilePlace& place, const std::optional<std::string>& expected) {
  OldFile old;
  TRY_ASSIGN(old.info, look_at_place(place));
  if (!old.info) {
    if (expected && !expected->empty()) return changed(place, "is not there any more");
    return old;
  }
  TRY(check_regular(*old.info, place.path));
  if (!expected) return old;
  if (expected->empty()) {
    return Error{Errc::Conflict, concat(printable(place.path), " exists already"),
                 "read it, and give its hash to replace it"};
  }
  old.file = Fd(::openat(place.directory.get(), place.name.c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!old.file) return path_error("read", place.path, errno);
  TRY_ASSIGN(old.hash, hash_file(old.file));
  if (old.hash != *expected) return changed(place, "has changed since it was read");
  return old;
}

Result<files::Written> replace_file(const FilePlace& place, const OldFile& old,
                                    std::string_view content, std::optional<std::uint32_t> mode,
                                    PlaceTrash& trash) {
  files::Written written;
  Fd file;
  TRY(trash.with_room(content.size(), [&] {
    written = {.path = place.path, .linked = place.linked, .created = !old.info};
    return put(place, old, content, mode, {written, file, trash});
  }));
  if (old.info && old.info->st_nlink > 1) {
    written.warnings.emplace_back(
        "it had other names too (hard links): those keep the old content");
  }
  struct stat now {};
  if (::fstat(file.get(), &now) != 0) return path_error("look at", place.path, errno);
  written.size = content.size();
  written.hash = hash_of(content);
  written.mtime_ns = nanoseconds(now.st_mtim);
  written.mode = static_cast<std::uint32_t>(now.st_mode & 07777U);
  written.batch = trash.batch();
  return written;
}

}  // namespace yonder::tree
