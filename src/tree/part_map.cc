#include "tree/part_map.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <thread>

#include "base/lock_holder.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::string_view kEnding = ".map";
constexpr std::size_t kRecord = 24;  // index, low, high
constexpr std::size_t kMostRecords = 4UL * 1024 * 1024;
// The first record: not of a segment, but whose the part is.
constexpr std::uint64_t kClaimIndex = ~0ULL;
constexpr auto kLockPause = std::chrono::milliseconds(5);

struct Record {
  std::uint64_t index = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

void put_u64(char* to, std::uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) to[i] = static_cast<char>(value >> 8U * i & 0xFFU);
}

std::uint64_t get_u64(const char* from) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) {
    value |= std::uint64_t{static_cast<unsigned char>(from[i])} << 8U * i;
  }
  return value;
}

std::optional<Record> record_at(int fd, std::uint64_t number) {
  std::array<char, kRecord> bytes{};
  const ssize_t n = ::pread(fd, bytes.data(), bytes.size(), static_cast<off_t>(number * kRecord));
  if (n != static_cast<ssize_t>(kRecord)) return std::nullopt;
  return Record{get_u64(&bytes[0]), get_u64(&bytes[8]), get_u64(&bytes[16])};
}

Result<void> put_record(int fd, std::uint64_t number, const Record& record) {
  std::array<char, kRecord> bytes{};
  put_u64(&bytes[0], record.index);
  put_u64(&bytes[8], record.low);
  put_u64(&bytes[16], record.high);
  const ssize_t n = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(number * kRecord));
  if (n == static_cast<ssize_t>(bytes.size())) return {};
  return errno_error("the list of a part file", n < 0 ? errno : ENOSPC);
}

// Whole ones: the disk may have been full in the middle of the last.
std::uint64_t records_in(int fd) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) return 0;
  return static_cast<std::uint64_t>(info.st_size) / kRecord;
}

}  // namespace

std::string map_name(const std::string& part) {
  return concat(part, kEnding);
}

int lock_file(int fd, int operation, const Deadline& deadline) {
  while (::flock(fd, operation | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || deadline.expired()) return errno;
    std::this_thread::sleep_for(kLockPause);
  }
  return 0;
}

bool leads_to(int directory, const std::string& name, int file) {
  struct stat named {};
  struct stat open {};
  return ::fstatat(directory, name.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         ::fstat(file, &open) == 0 && named.st_dev == open.st_dev && named.st_ino == open.st_ino;
}

PartMap::Lock::~Lock() {
  if (fd_ >= 0) ::flock(fd_, LOCK_UN);
}

Result<PartMap> PartMap::open(int directory, const std::string& part) {
  std::string name = map_name(part);
  TRY_ASSIGN(Fd own, duplicate(directory));
  Fd file(::openat(directory, name.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC,
                   0600));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return errno_error("the list of a part file");
  if (!S_ISREG(info.st_mode)) return errno_error("the list of a part file", EEXIST);
  return PartMap(std::move(own), std::move(name), std::move(file));
}

Result<PartMap::Lock> PartMap::lock(Hold hold, const Deadline& deadline) {
  const int failed = lock_file(file_.get(), hold == Hold::Alone ? LOCK_EX : LOCK_SH, deadline);
  if (failed == EWOULDBLOCK) {
    return Error{
        Errc::Timeout,
        concat("the part file of this transfer is locked by ", describe_flock_holder(file_)),
        "sync again when that process has ended"};
  }
  has_locks_ = failed == 0;
  return Lock(has_locks_ ? file_.get() : -1);
}

bool PartMap::is_there() const {
  return leads_to(directory_.get(), name_, file_.get());
}

std::optional<PartClaim> PartMap::claim() const {
  const auto first = record_at(file_.get(), 0);
  if (!first || first->index != kClaimIndex) return std::nullopt;
  return PartClaim{first->low, first->high};
}

Result<void> PartMap::set_claim(const PartClaim& claim) {
  return put_record(file_.get(), 0, {kClaimIndex, claim.sync, claim.attempt});
}

void PartMap::clear() {
  [[maybe_unused]] const int done = ::ftruncate(file_.get(), 0);
}

Result<std::map<std::uint64_t, Hash>> PartMap::segments() const {
  std::map<std::uint64_t, Hash> segments;
  const std::uint64_t records = std::min<std::uint64_t>(records_in(file_.get()), kMostRecords);
  for (std::uint64_t i = 1; i < records; ++i) {
    const auto record = record_at(file_.get(), i);
    if (!record) break;
    segments[record->index] = {.low = record->low, .high = record->high};
  }
  return segments;
}

Result<void> PartMap::add(std::uint64_t index, const Hash& hash) {
  return put_record(file_.get(), records_in(file_.get()), {index, hash.low, hash.high});
}

// Its length says it: to make a file shorter always works, also where there is no room.
void PartMap::remove(Gone why) {
  [[maybe_unused]] const int done = ::ftruncate(file_.get(), static_cast<off_t>(why));
  // Another one may have been made meanwhile.
  if (is_there()) ::unlinkat(directory_.get(), name_.c_str(), 0);
}

PartMap::Gone PartMap::gone() const {
  struct stat info {};
  if (::fstat(file_.get(), &info) != 0) return Gone::Finished;
  if (info.st_size == static_cast<off_t>(Gone::NoRoom)) return Gone::NoRoom;
  return info.st_size == static_cast<off_t>(Gone::Outdated) ? Gone::Outdated : Gone::Finished;
}

}  // namespace yonder::tree
