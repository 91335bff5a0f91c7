#include "outpost/disks.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/clean_text.h"
#include "base/text.h"
#include "outpost/command.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

using resources::Count;

constexpr std::size_t kMaxSaid = 64UL * 1024;
constexpr std::size_t kNumbers = 5;

Count bytes_of(std::uint64_t blocks, std::uint64_t size) {
  const auto bytes = product(blocks, size);
  return bytes ? Count::of(*bytes) : Count::missing("the file system tells an impossible size");
}

Result<LimitedChild> start_look(const std::string& path) {
  return LimitedChild::start([&path] {
    const std::string found = describe_space(path);
    [[maybe_unused]] const auto written = ::write(STDOUT_FILENO, found.data(), found.size());
  });
}

resources::Disk work_disk(const Surroundings& around, const std::string& cwd) {
  resources::Disk disk{.role = "work", .path = cwd};
  auto path = resolve_directory(cwd, around.home);
  if (path) {
    disk.path = *std::move(path);
  } else {
    set_missing(disk, printable(path.error().message));
  }
  return disk;
}

resources::Disk state_disk(const Surroundings& around) {
  resources::Disk disk{.role = "state", .path = around.state_dir};
  if (around.state_dir.empty()) {
    set_missing(disk, "there is no place for run records: " + printable(around.state_problem));
  }
  return disk;
}

}  // namespace

void set_space(resources::Disk& disk, const struct statvfs& space) {
  disk.free_bytes = bytes_of(space.f_bavail, space.f_frsize);
  disk.total_bytes = bytes_of(space.f_blocks, space.f_frsize);
  if (space.f_files == 0) {
    disk.free_inodes = Count::missing("this file system does not count them");
    disk.total_inodes = disk.free_inodes;
  } else {
    disk.free_inodes = Count::of(space.f_favail);
    disk.total_inodes = Count::of(space.f_files);
  }
}

void set_missing(resources::Disk& disk, const std::string& why) {
  disk.free_bytes = disk.total_bytes = Count::missing(why);
  disk.free_inodes = disk.total_inodes = Count::missing(why);
}

std::string existing_part(std::string path) {
  struct stat info {};
  while (::stat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR)) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    const std::size_t slash = path.find_last_of('/');
    if (slash == std::string::npos || path.size() == 1) break;
    path.resize(slash == 0 ? 1 : slash);
  }
  return path;
}

std::string describe_space(const std::string& path) {
  const std::string there = existing_part(path);
  struct statvfs space {};
  if (::statvfs(there.c_str(), &space) != 0) return errno_error(there).message;
  return concat(space.f_bavail, " ", space.f_blocks, " ", space.f_frsize, " ", space.f_favail, " ",
                space.f_files, "\n", there);
}

void take_space(resources::Disk& disk, const Said& said, Duration limit) {
  const std::size_t line = said.out.find('\n');
  const auto words = split(said.out.substr(0, line), ' ');
  std::vector<std::uint64_t> numbers;
  for (const auto& word : words) {
    if (const auto number = whole_number(word)) numbers.push_back(*number);
  }
  if (said.end != Said::End::Whole) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(limit).count();
    return set_missing(disk, concat("the file system did not answer within ", ms, " ms"));
  }
  if (line == std::string::npos || words.size() != kNumbers || numbers.size() != kNumbers) {
    return set_missing(
        disk, said.out.empty() ? "the process that looked at it was ended" : printable(said.out));
  }
  struct statvfs space {};
  space.f_bavail = numbers[0];
  space.f_blocks = numbers[1];
  space.f_frsize = numbers[2];
  space.f_favail = numbers[3];
  space.f_files = numbers[4];
  const std::string there = said.out.substr(line + 1);
  if (disk.role == "work" && there != disk.path) {
    disk.absent = concat("'", printable(disk.path), "' does not exist");
    return set_missing(
        disk, concat(disk.absent, "; the nearest directory above it is '", printable(there), "'"));
  }
  set_space(disk, space);
  disk.path = there;
}

std::vector<resources::Disk> look_at_disks(const Surroundings& around, const std::string& cwd,
                                           Duration limit) {
  std::vector<resources::Disk> disks{work_disk(around, cwd), state_disk(around)};
  std::vector<LimitedChild> children;
  std::vector<resources::Disk*> looked_at;
  for (auto& disk : disks) {
    if (!disk.free_bytes.why.empty()) continue;
    auto child = start_look(disk.path);
    if (!child) {
      set_missing(disk, printable(child.error().message));
      continue;
    }
    children.push_back(*std::move(child));
    looked_at.push_back(&disk);
  }
  const auto said = collect(std::move(children), kMaxSaid, Deadline::after(limit));
  for (std::size_t i = 0; i < said.size(); ++i) take_space(*looked_at[i], said[i], limit);
  for (auto& disk : disks) disk.path = printable(disk.path);
  return disks;
}

}  // namespace yonder::outpost
