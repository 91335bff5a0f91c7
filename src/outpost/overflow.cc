#include "outpost/overflow.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string_view>

#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/remove_run.h"
#include "outpost/room.h"
#include "outpost/self.h"

namespace yonder::outpost {
namespace {

constexpr auto kRivalPatience = std::chrono::seconds(2);
constexpr std::size_t kHashLetters = 16;
constexpr std::size_t kLongestWhy = 4096;
constexpr const char* kMovedFile = "moved";

// <shared>/yonder-<uid>/overflow/<hash>: all but the first.
std::vector<std::string> levels_of(const std::string& place) {
  const std::string overflow = place.substr(0, place.find_last_of('/'));
  return {overflow.substr(0, overflow.find_last_of('/')), overflow, place, place + "/runs"};
}

// Whoever made it has seen no other record, and goes on; or has withdrawn; or died.
bool is_decided(const RunRecord& record) {
  return record.size_of("spec") > 0 || !path_exists(record.directory()) || !record.locked();
}

}  // namespace

// Below a directory that all users share, others may have been first with the name.
bool is_our_own(const std::string& place) {
  for (const auto& level : levels_of(place)) {
    struct stat info {};
    const bool ours = ::lstat(level.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                      info.st_uid == ::geteuid() && (info.st_mode & 022U) == 0;
    if (!ours) return false;
  }
  return true;
}

std::vector<std::string> overflow_candidates(const std::string& state_dir,
                                             const std::string& runtime_dir,
                                             const std::string& user_id) {
  std::vector<std::string> places;
  const std::string hash = hash_of(state_dir).substr(0, kHashLetters);
  for (const std::string& shared : {std::string("/var/tmp"), std::string("/tmp"),
                                    std::string("/dev/shm"), runtime_dir, "/run/user/" + user_id}) {
    const std::string place = concat(shared, "/yonder-", user_id, "/overflow/", hash);
    const bool known = !places.empty() && places.back() == place;
    if (shared.starts_with('/') && !known) places.push_back(place);
  }
  return places;
}

Result<void> claim_overflow(const std::string& place, std::uint64_t least) {
  for (const auto& level : levels_of(place)) TRY(claim_directory(level));
  if (looks_full(place, least)) return errno_error(place, ENOSPC);
  return {};
}

std::string key_target(const Surroundings& around, const RunRecord& record) {
  const bool usual = record.directory() == concat(around.state_dir, "/runs/", record.id());
  return usual ? record.id() : concat(record.id(), "@", read_hostname());
}

std::optional<KeyTarget> read_key_target(const std::string& link) {
  std::array<char, 512> target{};
  const ssize_t n = ::readlink(link.c_str(), target.data(), target.size());
  if (n <= 0) return std::nullopt;
  const std::string_view text(target.data(), static_cast<std::size_t>(n));
  const std::size_t at = text.find('@');
  const auto id = parse_run_id(std::string(text.substr(0, at)));
  if (!id) return std::nullopt;
  return KeyTarget{.id = *id, .host = std::string(at == text.npos ? "" : text.substr(at + 1))};
}

std::optional<RunRecord> find_record(const Surroundings& around, const RunId& id) {
  if (around.state_dir.empty()) return std::nullopt;
  RunRecord usual(around.state_dir, id);
  if (usual.exists()) return usual;
  for (const auto& place : around.overflow) {
    RunRecord moved(place, id);
    if (moved.exists() && is_our_own(place)) return moved;
  }
  return std::nullopt;
}

std::vector<RunRecord> overflow_records(const Surroundings& around) {
  std::vector<RunRecord> records;
  for (const auto& place : around.overflow) {
    if (!is_our_own(place)) continue;
    for (const auto& name : names_in(place + "/runs")) {
      if (const auto id = parse_run_id(name)) records.emplace_back(place, *id);
    }
  }
  return records;
}

Result<void> note_moved(const RunRecord& record, const Error& why) {
  return write_file_atomically(record.path(kMovedFile), why.message.substr(0, kLongestWhy),
                               Durability::Process);
}

std::optional<wire::MovedRecord> read_moved(const RunRecord& record) {
  auto why = read_file(record.path(kMovedFile), kLongestWhy);
  if (!why) return std::nullopt;
  return wire::MovedRecord{.why = *std::move(why),
                           .directory = record.directory(),
                           .in_memory = is_in_memory(record.directory())};
}

// Each makes its directory first and looks for others then, so that at least one of two sees the
// other. Who sees a better place withdraws, and who sees a worse one waits for that to be decided.
Result<std::optional<RunRecord>> find_rival(const Surroundings& around, const RunRecord& record) {
  std::vector<std::string> places = around.overflow;
  places.insert(places.begin(), around.state_dir);
  const Deadline deadline = Deadline::after(kRivalPatience);
  bool better = true;
  for (const auto& place : places) {
    RunRecord other(concat(place, "/runs/", record.id()));
    if (other.directory() == record.directory()) {
      better = false;
      continue;
    }
    if (!path_exists(other.directory()) || (place != around.state_dir && !is_our_own(place))) {
      continue;
    }
    if (better) return std::optional<RunRecord>(other);
    while (!is_decided(other)) {
      if (deadline.expired()) {
        return Error{Errc::Conflict, "another process is starting run " + record.id(),
                     "nothing was run; try again"};
      }
      ::poll(nullptr, 0, 2);
    }
    if (other.size_of("spec") > 0) return std::optional<RunRecord>(other);
  }
  return std::optional<RunRecord>();
}

}  // namespace yonder::outpost
