#include "outpost/ages.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/file.h"
#include "outpost/machine.h"

namespace yonder::outpost {
namespace {

constexpr std::int64_t kPauseMs = 3600LL * 1000;

std::int64_t changed_ms(const struct stat& info) {
  return std::int64_t{info.st_mtim.tv_sec} * 1000 + info.st_mtim.tv_nsec / 1'000'000;
}

AgeClock::Moment moment_at(std::int64_t wall_ms) {
  return {.boot_id = read_boot_id(),
          .since_boot_ms = to_milliseconds(time_since_boot()),
          .wall_ms = wall_ms};
}

AgeClock read_clock(const std::string& path) {
  struct stat info {};
  const bool there = ::lstat(path.c_str(), &info) == 0;
  const auto text = read_file(path, kSmallFile);
  AgeClock clock = AgeClock::parse(text ? *text : "");
  if (there) clock.trust(changed_ms(info));  // an older build has left no more than its time
  return clock;
}

}  // namespace

std::optional<Ages> Ages::look(const std::string& state_dir) {
  const std::string path = state_dir + "/collected";
  AgeClock clock = read_clock(path);
  const std::int64_t last = clock.since_last_ms(moment_at(wall_clock_ms()));
  if (last >= 0 && last < kPauseMs) return std::nullopt;
  if (last < 0 && !write_file_atomically(path, "", Durability::Process)) return std::nullopt;
  // By the clock that the other files have their times from, which may be that of a file server.
  struct stat info {};
  if (::utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0) return std::nullopt;
  if (::lstat(path.c_str(), &info) != 0) return std::nullopt;
  clock.pass(moment_at(changed_ms(info)));
  // A full disk needs its leftovers removed most: ages are known, though not written down.
  const auto written = write_file_atomically(path, clock.text(), Durability::Process);
  if (!written && written.error().code != Errc::NoRoom) return std::nullopt;
  return Ages(std::move(clock));
}

std::int64_t Ages::of(const std::string& path) const {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 ? clock_.age_ms(changed_ms(info)) : -1;
}

std::int64_t Ages::of_target(const std::string& path) const {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 ? clock_.age_ms(changed_ms(info)) : of(path);
}

}  // namespace yonder::outpost
