#include "tree/part.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/clean_text.h"
#include "base/clock.h"
#include "base/text.h"
#include "tree/scan.h"

namespace yonder::tree {
namespace {

constexpr std::string_view kMapEnding = ".map";
constexpr std::size_t kRecord = 24;  // index, low, high
constexpr std::size_t kMostRecords = 4UL * 1024 * 1024;

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

Error failed(const FileHead& head) {
  return errno_error(printable(head.path));
}

Error not_as_sent(const FileHead& head) {
  return Error{Errc::Protocol, concat("'", printable(head.path), "' did not arrive as it was sent"),
               "sync again: what arrived well is kept"};
}

// The disk was full in the middle of one: all that came after it would be misread.
void drop_torn_record(const Fd& map) {
  struct stat info {};
  if (::fstat(map.get(), &info) != 0) return;
  const off_t torn = info.st_size % static_cast<off_t>(kRecord);
  if (torn == 0) return;
  [[maybe_unused]] const int done = ::ftruncate(map.get(), info.st_size - torn);
}

}  // namespace

std::uint64_t segments_of(std::uint64_t size) {
  return size / kSegment + (size % kSegment != 0 ? 1 : 0);
}

std::uint64_t segment_size(std::uint64_t size, std::uint64_t index) {
  const std::uint64_t start = index * kSegment;
  return start >= size ? 0 : std::min(kSegment, size - start);
}

std::string part_name(const FileHead& head) {
  Packer identity;
  identity.text(split_path(head.path).name).number(head.size).integer(head.mtime_ns);
  identity.number(head.origin);
  return concat(kTemporaryPrefix, "part-", to_hex(hash_of_bytes(identity.bytes())));
}

Result<PartFile> PartFile::open(Applier& applier, const FileHead& head) {
  TRY_ASSIGN(const int found, applier.directory_of(head.path, true));
  TRY_ASSIGN(Fd directory, duplicate(found));
  const std::string name = part_name(head);
  constexpr int kFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  Fd file(::openat(directory.get(), name.c_str(), kFlags, 0600));
  if (!file && errno == EACCES) {  // its end was cut short just when it had got its mode
    ::unlinkat(directory.get(), name.c_str(), 0);
    file = Fd(::openat(directory.get(), name.c_str(), kFlags, 0600));
  }
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return failed(head);
  if (!S_ISREG(info.st_mode)) return not_as_sent(head);
  if (static_cast<std::uint64_t>(info.st_size) != head.size &&
      ::ftruncate(file.get(), static_cast<off_t>(head.size)) != 0) {
    return failed(head);
  }
  Fd map(::openat(directory.get(), concat(name, kMapEnding).c_str(), kFlags | O_APPEND, 0600));
  if (!map) return failed(head);
  drop_torn_record(map);
  return PartFile(applier, head, std::move(directory), std::move(file), std::move(map));
}

Result<std::map<std::uint64_t, Hash>> PartFile::claimed() const {
  struct stat info {};
  if (::fstat(map_.get(), &info) != 0) return failed(head_);
  std::map<std::uint64_t, Hash> segments;
  const std::uint64_t records =
      std::min<std::uint64_t>(static_cast<std::uint64_t>(info.st_size) / kRecord, kMostRecords);
  std::array<char, kRecord> record{};
  for (std::uint64_t i = 0; i < records; ++i) {
    const ssize_t n =
        ::pread(map_.get(), record.data(), record.size(), static_cast<off_t>(i * kRecord));
    if (n != static_cast<ssize_t>(kRecord)) break;
    const std::uint64_t index = get_u64(&record[0]);
    if (index >= segments_of(head_.size)) continue;
    segments[index] = {.low = get_u64(&record[8]), .high = get_u64(&record[16])};
  }
  return segments;
}

Result<std::map<std::uint64_t, Hash>> PartFile::verified() {
  TRY_ASSIGN(auto segments, claimed());
  // What was written may have been lost with the machine's power; what was noted, too.
  for (auto it = segments.begin(); it != segments.end();) {
    const auto hash =
        hash_of_range(file_.get(), it->first * kSegment, segment_size(head_.size, it->first));
    it = hash && *hash == it->second ? std::next(it) : segments.erase(it);
  }
  return segments;
}

Result<void> PartFile::begin(std::uint64_t index) {
  if (index >= segments_of(head_.size)) return not_as_sent(head_);
  index_ = index;
  position_ = index * kSegment;
  stop_ = position_ + segment_size(head_.size, index);
  hasher_ = Hasher();
  return {};
}

Result<void> PartFile::write(std::string_view bytes) {
  if (bytes.size() > stop_ - position_) return not_as_sent(head_);
  hasher_.add(bytes);
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(position_));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(head_);
    bytes.remove_prefix(static_cast<std::size_t>(n));
    position_ += static_cast<std::uint64_t>(n);
  }
  return {};
}

Result<void> PartFile::hole(std::uint64_t count) {
  if (count > stop_ - position_) return not_as_sent(head_);
  hasher_.add_zeros(count);
  TRY(clear(position_, count));
  position_ += count;
  return {};
}

// An earlier attempt may have left something there.
Result<void> PartFile::clear(std::uint64_t offset, std::uint64_t count) {
#ifdef FALLOC_FL_PUNCH_HOLE
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                  static_cast<off_t>(offset), static_cast<off_t>(count)) == 0) {
    return {};
  }
#endif
  static constexpr std::array<char, 64UL * 1024> kZeros{};
  while (count > 0) {
    const std::size_t piece = std::min<std::uint64_t>(count, kZeros.size());
    const ssize_t n = ::pwrite(file_.get(), kZeros.data(), piece, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(head_);
    offset += static_cast<std::uint64_t>(n);
    count -= static_cast<std::uint64_t>(n);
  }
  return {};
}

Result<void> PartFile::end(const Hash& hash) {
  if (position_ != stop_ || hasher_.result() != hash) return not_as_sent(head_);
  std::array<char, kRecord> record{};
  put_u64(&record[0], index_);
  put_u64(&record[8], hash.low);
  put_u64(&record[16], hash.high);
  const ssize_t n = ::write(map_.get(), record.data(), record.size());
  if (n < 0) return failed(head_);
  if (n == static_cast<ssize_t>(record.size())) return {};
  drop_torn_record(map_);
  return errno_error(printable(head_.path), ENOSPC);
}

Result<void> PartFile::finish(const std::vector<std::optional<Hash>>& segments) {
  if (segments.size() != segments_of(head_.size)) return not_as_sent(head_);
  TRY_ASSIGN(const auto have, claimed());
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!segments[i]) {
      TRY(clear(i * kSegment, segment_size(head_.size, i)));
      continue;
    }
    const auto found = have.find(i);
    if (found == have.end() || found->second != *segments[i]) return not_as_sent(head_);
  }
  return place();
}

Result<void> PartFile::finish() {
  TRY_ASSIGN(const auto have, claimed());
  if (have.size() != segments_of(head_.size)) return not_as_sent(head_);
  return place();
}

Result<void> PartFile::place() {
  const std::string name = part_name(head_);
  auto placed = applier_->seal(file_, head_);
  if (placed) placed = applier_->place(directory_.get(), name, head_);
  if (!placed) {
    ::fchmod(file_.get(), 0600);  // to be gone on with
    return placed;
  }
  ::unlinkat(directory_.get(), concat(name, kMapEnding).c_str(), 0);
  return {};
}

void remove_old_part(int root, const std::string& path, std::int64_t older_than_ms) {
  Directories directories(root);
  const auto directory = directories.open(split_path(path).parent);
  const std::string name(split_path(path).name);
  struct stat info {};
  if (!directory || ::fstatat(*directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (!S_ISREG(info.st_mode)) return;
  const std::int64_t changed_ms = std::int64_t{info.st_ctim.tv_sec} * 1000;
  if (wall_clock_ms() - changed_ms >= older_than_ms) ::unlinkat(*directory, name.c_str(), 0);
}

}  // namespace yonder::tree
