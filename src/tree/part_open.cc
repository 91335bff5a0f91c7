// Whose a part is: who goes on with it, and who leaves it alone.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>

#include "base/clock.h"
#include "tree/part.h"
#include "tree/part_errors.h"

namespace yonder::tree {

using namespace part_errors;

namespace {

// A part of a process that was just ended is still held for a moment.
constexpr auto kUntilReleased = std::chrono::seconds(5);
constexpr auto kReleasePause = std::chrono::milliseconds(20);
// Others hold the lock for one write, or for giving the file its name.
constexpr auto kDecideWithin = std::chrono::seconds(2);
constexpr int kMostTries = 10;
constexpr int kPartFlags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

// With the map's lock held alone, so that nobody is just giving it its name.
Fd open_part(int directory, const std::string& name, PartMap& map) {
  Fd file(::openat(directory, name.c_str(), kPartFlags, 0600));
  if (file || errno != EACCES) return file;
  // Its end was cut short just when it had got its mode.
  ::unlinkat(directory, name.c_str(), 0);
  map.clear();
  return Fd(::openat(directory, name.c_str(), kPartFlags, 0600));
}

// What has arrived of it takes its room already.
void expect_rest_of(Applier& applier, const FileHead& head, int directory) {
  struct stat info {};
  const bool begun = ::fstatat(directory, part_name(head).c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  const std::uint64_t there = begun ? static_cast<std::uint64_t>(info.st_blocks) * 512U : 0;
  applier.expect_bytes(head.size - std::min(head.size, there));
}

bool exists(int directory, const std::string& name) {
  struct stat info {};
  return ::fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
}

}  // namespace

// With the map's lock held alone. Nothing: another sync works on it.
Result<std::optional<PartFile>> PartFile::open_locked(Applier& applier, const FileHead& head,
                                                      const Fd& directory, const std::string& name,
                                                      PartMap& map) {
  const PartClaim& claim = applier.claim();
  Fd file = open_part(directory.get(), name, map);
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return failed(head);
  if (!S_ISREG(info.st_mode)) return not_as_sent(head);
  const int held = lock_file(file.get(), LOCK_EX, Deadline::after(Duration::zero()));
  const auto before = map.claim();
  const bool ours = before && before->sync == claim.sync;
  if (ours && before->attempt > claim.attempt) return taken_over(head);
  if (held == EWOULDBLOCK && !ours) return std::optional<PartFile>();
  // Without locks only a name of one's own is safe, and there is nobody to wait for.
  const bool no_locks = (held != 0 && held != EWOULDBLOCK) || !map.has_locks();
  if (no_locks && name == part_name(head)) {
    ::unlinkat(directory.get(), name.c_str(), 0);
    map.remove(PartMap::Gone::Finished);
    return open_free(applier, head, directory, own_part_name(head, claim));
  }
  if (!before) map.clear();
  if (before != claim) TRY(map.set_claim(claim));
  // From now on shared with the other links; nobody else decides meanwhile.
  lock_file(file.get(), LOCK_SH, Deadline::after(Duration::zero()));
  if (static_cast<std::uint64_t>(info.st_size) != head.size &&
      ::ftruncate(file.get(), static_cast<off_t>(head.size)) != 0) {
    return failed(head);
  }
  TRY_ASSIGN(Fd own, duplicate(directory.get()));
  return std::optional(
      PartFile(applier, head, std::move(own), name, std::move(file), std::move(map)));
}

// Nothing: another sync works on it, or nobody could know.
Result<std::optional<PartFile>> PartFile::open_free(Applier& applier, const FileHead& head,
                                                    const Fd& directory, const std::string& name) {
  for (int tries = 0; tries < kMostTries; ++tries) {
    TRY_ASSIGN(PartMap map, PartMap::open(directory.get(), name));
    const auto lock = map.lock(PartMap::Hold::Alone, Deadline::after(kDecideWithin));
    if (!lock) return std::optional<PartFile>();
    if (!map.is_there()) continue;  // it was just finished, or removed
    auto part = open_locked(applier, head, directory, name, map);
    if (!part && part.error().code == Errc::NoRoom) {
      ::unlinkat(directory.get(), name.c_str(), 0);
      map.remove(PartMap::Gone::NoRoom);
    }
    return part;
  }
  return std::optional<PartFile>();
}

Result<PartFile> PartFile::open(Applier& applier, const FileHead& head) {
  TRY_ASSIGN(const int found, applier.directory_of(head.path, true));
  TRY_ASSIGN(const Fd directory, duplicate(found));
  expect_rest_of(applier, head, directory.get());
  const std::string own = own_part_name(head, applier.claim());
  if (!exists(directory.get(), own)) {
    const Deadline patience = Deadline::after(kUntilReleased);
    while (true) {
      TRY_ASSIGN(auto part, open_free(applier, head, directory, part_name(head)));
      if (part) return *std::move(part);
      if (patience.expired()) break;
      std::this_thread::sleep_for(kReleasePause);
    }
  }
  TRY_ASSIGN(auto part, open_free(applier, head, directory, own));
  if (!part) return taken_over(head);
  return *std::move(part);
}

void discard_part(Applier& applier, const FileHead& head) {
  const auto directory = applier.directory_of(head.path, false);
  if (!directory) return;
  for (const auto& name : {part_name(head), own_part_name(head, applier.claim())}) {
    if (!exists(*directory, map_name(name))) continue;
    auto map = PartMap::open(*directory, name);
    if (!map) continue;
    const auto lock = map->lock(PartMap::Hold::Alone, Deadline::after(kDecideWithin));
    if (!lock || map->claim() != applier.claim()) continue;
    ::unlinkat(*directory, name.c_str(), 0);
    map->remove(PartMap::Gone::Outdated);
  }
}

}  // namespace yonder::tree
