#include "tree/part.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "base/clean_text.h"
#include "base/clock.h"
#include "tree/late_errors.h"
#include "tree/part_errors.h"

namespace yonder::tree {

using namespace part_errors;

namespace {

// Others hold the lock for one write, or for giving the file its name.
constexpr auto kWriteWithin = std::chrono::seconds(60);

bool is_full(int error_number) {
  return error_number == ENOSPC || error_number == EDQUOT;
}

}  // namespace

// Whatever is written is written with this, and only as long as the part is ours.
Result<PartMap::Lock> PartFile::hold(PartMap::Hold how) {
  TRY_ASSIGN(PartMap::Lock lock, map_.lock(how, Deadline::after(kWriteWithin)));
  if (map_.claim() == applier_->claim()) return lock;
  switch (map_.gone()) {
    case PartMap::Gone::NoRoom: return errno_error(printable(head_.path), ENOSPC);
    case PartMap::Gone::Outdated: return outdated(head_);
    case PartMap::Gone::Finished: break;
  }
  return taken_over(head_);
}

Result<Segments> PartFile::noted() const {
  TRY_ASSIGN(auto segments, map_.segments());
  segments.erase(segments.lower_bound(segments_of(head_.size)), segments.end());
  return segments;
}

Result<Segments> PartFile::verified() {
  TRY_ASSIGN(auto segments, noted());
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
  TRY_ASSIGN(const PartMap::Lock lock, hold(PartMap::Hold::Shared));
  bool made_room = false;
  while (!bytes.empty()) {
    const ssize_t n =
        ::pwrite(file_.get(), bytes.data(), bytes.size(), static_cast<off_t>(position_));
    const int error = n < 0 ? errno : 0;
    if (error == EINTR) continue;
    if (is_full(error) && !std::exchange(made_room, true) &&
        applier_->make_room(stop_ - position_)) {
      continue;
    }
    if (n < 0) return keep_room(errno_error(printable(head_.path), error));
    bytes.remove_prefix(static_cast<std::size_t>(n));
    position_ += static_cast<std::uint64_t>(n);
  }
  return {};
}

// With the lock held, here and below: else the file may have its name by now.
void PartFile::give_back(PartMap::Gone why) {
  [[maybe_unused]] const int emptied = ::ftruncate(file_.get(), 0);
  if (leads_to(directory_.get(), name_, file_.get())) {
    ::unlinkat(directory_.get(), name_.c_str(), 0);
  }
  map_.remove(why);
}

// Others need the room more than we need a beginning.
Result<void> PartFile::keep_room(Result<void> outcome) {
  if (!outcome && outcome.error().code == Errc::NoRoom) give_back(PartMap::Gone::NoRoom);
  return outcome;
}

Result<void> PartFile::discard() {
  TRY_ASSIGN(const PartMap::Lock lock, hold(PartMap::Hold::Alone));
  give_back(PartMap::Gone::Outdated);
  return {};
}

Result<void> PartFile::hole(std::uint64_t count) {
  if (count > stop_ - position_) return not_as_sent(head_);
  hasher_.add_zeros(count);
  TRY_ASSIGN(const PartMap::Lock lock, hold(PartMap::Hold::Shared));
  TRY(keep_room(clear(position_, count)));
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
  // Only what is not a hole by now.
  const std::uint64_t end = offset + count;
  while (offset < end) {
#if defined(SEEK_DATA) && defined(SEEK_HOLE)
    const off_t data = ::lseek(file_.get(), static_cast<off_t>(offset), SEEK_DATA);
    if (data < 0 && errno == ENXIO) return {};
    const off_t hole = data < 0 ? -1 : ::lseek(file_.get(), data, SEEK_HOLE);
    if (hole > data) {
      const auto stop = std::min(end, static_cast<std::uint64_t>(hole));
      TRY(write_zeros(static_cast<std::uint64_t>(data), stop));
      offset = static_cast<std::uint64_t>(hole);
      continue;
    }
#endif
    return write_zeros(offset, end);
  }
  return {};
}

Result<void> PartFile::write_zeros(std::uint64_t offset, std::uint64_t end) {
  static constexpr std::array<char, 64UL * 1024> kZeros{};
  while (offset < end) {
    const std::size_t piece = std::min<std::uint64_t>(end - offset, kZeros.size());
    const ssize_t n = ::pwrite(file_.get(), kZeros.data(), piece, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return failed(head_);
    offset += static_cast<std::uint64_t>(n);
  }
  return {};
}

Result<void> PartFile::clear_all_but(const std::vector<SegmentRun>& runs) {
  std::uint64_t done = 0;
  for (const SegmentRun& run : runs) {
    const std::uint64_t start = run.first * kSegment;
    if (start > done) TRY(clear(done, start - done));
    done = std::min(head_.size, start + run.count * kSegment);
  }
  if (done < head_.size) TRY(clear(done, head_.size - done));
  return {};
}

Result<void> PartFile::end(const Hash& hash) {
  if (position_ != stop_ || hasher_.result() != hash) return not_as_sent(head_);
  // What is noted is believed later, by others too.
  Result<void> done;
  if (tells_errors_late(file_.get()) && ::fsync(file_.get()) != 0) done = failed(head_);
  TRY_ASSIGN(const PartMap::Lock lock, hold(PartMap::Hold::Alone));
  if (done) {
    done = map_.add(index_, hash);
    if (!done) done = std::move(done).error().context(printable(head_.path));
  }
  return keep_room(std::move(done));
}

Result<void> PartFile::finish(const Segments& segments) {
  TRY_ASSIGN(const PartMap::Lock lock, hold(PartMap::Hold::Alone));
  TRY_ASSIGN(const auto have, noted());
  std::vector<SegmentRun> runs;
  for (const auto& [index, hash] : segments) {
    const auto found = have.find(index);
    if (found == have.end() || found->second != hash) return not_as_sent(head_);
    if (runs.empty() || runs.back().first + runs.back().count != index) runs.push_back({index, 0});
    ++runs.back().count;
  }
  TRY(keep_room(clear_all_but(runs)));
  return place();
}

Result<void> PartFile::finish_runs(const std::vector<SegmentRun>& runs) {
  TRY_ASSIGN(const PartMap::Lock lock, hold(PartMap::Hold::Alone));
  TRY_ASSIGN(const auto have, noted());
  for (const SegmentRun& run : runs) {
    auto at = have.find(run.first);
    for (std::uint64_t i = 0; i < run.count; ++i, ++at) {
      if (at == have.end() || at->first != run.first + i) return not_as_sent(head_);
    }
  }
  TRY(keep_room(clear_all_but(runs)));
  return place();
}

// With the lock held alone. As soon as the file has its name it is not ours any more.
Result<void> PartFile::place() {
  struct stat open {};
  if (!leads_to(directory_.get(), name_, file_.get()) || ::fstat(file_.get(), &open) != 0) {
    return not_as_sent(head_);
  }
  auto placed =
      applier_->seal_and_close(file_, head_, directory_.get(), tells_errors_late(file_.get()));
  if (placed) placed = applier_->place(directory_.get(), name_, head_);
  if (placed) {
    map_.remove(PartMap::Gone::Finished);
    return {};
  }
  struct stat named {};
  const bool still_a_part =
      ::fstatat(directory_.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
      named.st_dev == open.st_dev && named.st_ino == open.st_ino;
  if (!still_a_part) return placed;
  if (placed.error().code == Errc::NoRoom) {
    ::unlinkat(directory_.get(), name_.c_str(), 0);  // the file itself may be closed by now
    map_.remove(PartMap::Gone::NoRoom);
  } else {
    ::fchmodat(directory_.get(), name_.c_str(), 0600, 0);  // to be gone on with
  }
  return placed;
}

}  // namespace yonder::tree
