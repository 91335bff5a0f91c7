#include "outpost/room.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "base/clock.h"
#include "tree/late_errors.h"

namespace yonder::outpost {
namespace {

constexpr auto kRoomPatience = std::chrono::seconds(1);
constexpr std::uint64_t kTmpfs = 0x01021994;
constexpr std::uint64_t kRamfs = 0x858458F6;

bool is_no_room(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT;
}

// A file system of another machine takes what is written, and says later that it had no room.
bool lost_what_it_took(const std::string& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC));
  return file && tree::tells_errors_late(file.get()) && ::fsync(file.get()) != 0 &&
         is_no_room(errno);
}

bool refuses_room_beside(const std::string& path) {
  const std::string directory = path.substr(0, path.find_last_of('/') + 1);
  const Fd nameless(::open(directory.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  return nameless && refuses_room(nameless).value_or(false);
}

// A log of the user may lie on a file system that hangs: then nothing is known of its room.
bool log_disk_is_full(const std::string& log) {
  const pid_t looker = ::fork();
  if (looker == 0) ::_exit(looks_full(log) || refuses_room_beside(log) ? 1 : 0);
  const Deadline deadline = Deadline::after(kRoomPatience);
  int status = 0;
  while (looker > 0 && !deadline.expired()) {
    if (::waitpid(looker, &status, WNOHANG) != 0) return WIFEXITED(status) && WEXITSTATUS(status);
    ::poll(nullptr, 0, 1);
  }
  return false;
}

}  // namespace

bool is_full(const struct statvfs& disk, bool for_root, std::uint64_t least) {
  if (disk.f_blocks == 0) return false;
  const std::uint64_t blocks = for_root ? disk.f_bfree : disk.f_bavail;
  return blocks * disk.f_frsize < least;
}

bool looks_full(const std::string& path, std::uint64_t least) {
  struct statvfs disk {};
  return ::statvfs(path.c_str(), &disk) == 0 && is_full(disk, ::geteuid() == 0, least);
}

std::optional<bool> refuses_room(const Fd& file) {
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return std::nullopt;
  const int refused =
      ::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, info.st_size, off_t{kLeastRoom}) == 0 ? 0
                                                                                         : errno;
  // Also after a failure: part of it may have been given.
  if (::ftruncate(file.get(), info.st_size) != 0) return std::nullopt;
  if (refused != 0 && !is_no_room(refused)) return std::nullopt;
  return refused != 0;
}

bool output_disk_is_full(const RunRecord& record, const wire::StartRequest& spec) {
  if (!spec.log_file.empty()) return log_disk_is_full(spec.log_file);
  if (looks_full(record.directory())) return true;
  if (lost_what_it_took(record.path("out")) || lost_what_it_took(record.path("err"))) return true;
  const Fd reserve(::open(record.path("exit.reserve").c_str(), O_WRONLY | O_CLOEXEC));
  if (!reserve || tree::tells_errors_late(reserve.get())) return false;
  return refuses_room(reserve).value_or(false);
}

bool is_in_memory(const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0) return false;
  const auto type = static_cast<std::uint64_t>(info.f_type) & 0xFFFFFFFFU;
  return type == kTmpfs || type == kRamfs;
}

}  // namespace yonder::outpost
