#include "outpost/gpu_claims.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <optional>
#include <set>

#include "base/clean_text.h"
#include "base/text.h"
#include "base/user_name.h"
#include "outpost/claim_files.h"
#include "outpost/lease_place.h"
#include "outpost/machine.h"
#include "outpost/processes.h"

namespace yonder::outpost {
namespace {

constexpr off_t kLargest = 65536;
constexpr mode_t kReadable = 0644;
constexpr std::string_view kUnfinished = "new.";
constexpr std::size_t kMostClaims = 4096;
// Nobody comes so far after the one before: such a number is not ours to follow. So many steps lead
// past the last number only with more claims than there may be.
constexpr std::uint64_t kMostAhead = 1000000000000;

struct Looked {
  bool locked = false;
  uid_t owner = 0;
  ino_t inode = 0;
  Result<wire::GpuClaim> claim = wire::GpuClaim{};
};

Result<wire::GpuClaim> read_claim(const Fd& file, off_t size, const ClaimName& name) {
  if (size > kLargest) return Error{Errc::Protocol, "it is too large", ""};
  std::string text(static_cast<std::size_t>(size), '\0');
  const ssize_t got = ::pread(file.get(), text.data(), text.size(), 0);
  if (got < 0) return errno_error("read");
  text.resize(static_cast<std::size_t>(got));
  TRY_ASSIGN(wire::GpuClaim claim, wire::decode_claim(text));
  if (!name.text.ends_with("." + claim.run_id)) {
    return Error{Errc::Protocol, "it is of another run than its name says", ""};
  }
  return claim;
}

// Gone, or a symlink, a socket, a device or closed to us: Yonder makes no such files.
bool is_no_claim(int open_error) {
  return open_error == ENOENT || open_error == ELOOP || open_error == ENXIO ||
         open_error == ENODEV || open_error == EACCES;
}

Error unreadable(const ClaimName& name, const std::string& owner, const std::string& why) {
  return Error{Errc::Conflict,
               concat("a GPU lease of ", owner, " cannot be read (",
                      printable(concat(lease_directory(), "/", name.text)), "): ", why),
               "nobody can tell which GPUs are free; it is void as soon as its process ends"};
}

// Nothing when it is no file that Yonder would have made. Other names that lead to it change
// nothing: anybody may have made them.
Result<std::optional<Looked>> look_at_claim(const Fd& place, const ClaimName& name) {
  const Fd file(
      ::openat(place.get(), name.text.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  const int problem = errno;
  struct stat info {};
  if (!file && is_no_claim(problem)) return std::optional<Looked>();
  if (!file) {
    const bool known = ::fstatat(place.get(), name.text.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    return unreadable(name, known ? user_name(info.st_uid) : "somebody",
                      errno_error("open", problem).message);
  }
  if (::fstat(file.get(), &info) != 0) return errno_error("a GPU lease");
  if (!S_ISREG(info.st_mode)) return std::optional<Looked>();
  Looked looked{.owner = info.st_uid, .inode = info.st_ino};
  TRY_ASSIGN(looked.locked, is_held_claim(file));
  looked.claim = read_claim(file, info.st_size, name);
  return std::optional<Looked>(std::move(looked));
}

// Its supervisor was killed; the command, or what the command has started, may still use the GPU.
// What cannot be seen, as from another pid namespace, is not proven to be gone: then it counts.
bool command_lives(const wire::GpuClaim& claim) {
  if (claim.command.pid <= 0 || claim.boot_id != read_boot_id()) return false;
  if (claim.pid_ns != read_pid_namespace() || lives(claim.command)) return true;
  const auto left = find_members({.command = claim.command, .mark = run_mark(claim.run_id)});
  return !left || !left->empty();
}

bool counts(const Looked& looked) {
  return looked.locked || (looked.claim && command_lives(*looked.claim));
}

std::uint64_t number_for(const wire::GpuClaim& claim, const std::vector<SeenClaim>& claims,
                         std::uint64_t before) {
  const bool taken = std::any_of(claims.begin(), claims.end(),
                                 [&](const SeenClaim& seen) { return seen.number == before; });
  // The number of one that holds its GPUs orders nothing any more.
  if (before != 0 && (!taken || !claim.held.empty())) return before;
  std::uint64_t last = 0;
  for (const auto& seen : claims) {
    if (seen.number - last > kMostAhead) break;
    last = seen.number;
  }
  return last + 1;
}

}  // namespace

Result<std::vector<SeenClaim>> live_claims(const Fd& place) {
  TRY_ASSIGN(const std::vector<ClaimName> names, claim_names(place));
  std::vector<SeenClaim> claims;
  std::map<uid_t, std::size_t> owners;
  std::set<ino_t> seen;
  for (const auto& name : names) {
    TRY_ASSIGN(auto looked, look_at_claim(place, name));
    if (!looked || !counts(*looked) || !seen.insert(looked->inode).second) continue;
    if (!looked->claim) {
      return unreadable(name, user_name(looked->owner), looked->claim.error().message);
    }
    ++owners[looked->owner];
    if (claims.size() == kMostClaims) return too_many("GPU claims", owners);
    claims.push_back(
        {.number = name.number, .owner = looked->owner, .claim = *std::move(looked->claim)});
  }
  return claims;
}

void remove_dead_claims(const Fd& place) {
  const auto names = claim_names(place);
  for (const auto& name : names ? *names : std::vector<ClaimName>{}) {
    const auto looked = look_at_claim(place, name);
    if (!looked || !*looked || (*looked)->owner != ::geteuid() || counts(**looked)) continue;
    ::unlinkat(place.get(), name.text.c_str(), 0);
  }
  // Whoever makes one holds the lock that we hold: these were left by somebody who was killed.
  const auto unfinished = claim_files(place, kUnfinished);
  for (const auto& name : unfinished ? *unfinished : std::vector<std::string>{}) {
    struct stat info {};
    const bool ours = ::fstatat(place.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 &&
                      info.st_uid == ::geteuid();
    if (ours) ::unlinkat(place.get(), name.c_str(), 0);
  }
}

Result<OwnClaim> OwnClaim::enter(const Fd& place, const wire::GpuClaim& claim,
                                 std::uint64_t before) {
  TRY_ASSIGN(const std::vector<SeenClaim> claims, live_claims(place));
  const std::uint64_t number = number_for(claim, claims, before);
  const std::string name = claim_name(number, claim.run_id);
  const std::string unfinished = concat(kUnfinished, ::getpid(), ".", claim.run_id);
  ::unlinkat(place.get(), unfinished.c_str(), 0);
  Fd file(::openat(place.get(), unfinished.c_str(),
                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return lease_trouble(lease_directory(), "a GPU lease", errno);
  // Locked before it can be seen: a claim that nobody holds counts for nothing.
  OwnClaim own(std::move(file), number, name);
  auto done = own.write(claim);
  if (done) done = hold_claim(own.file_);
  if (done && (::fchmod(own.file_.get(), kReadable) != 0 ||
               ::renameat(place.get(), unfinished.c_str(), place.get(), name.c_str()) != 0)) {
    done = lease_trouble(lease_directory(), "a GPU lease", errno);
  }
  if (done) return own;
  ::unlinkat(place.get(), unfinished.c_str(), 0);
  return std::move(done).error();
}

bool OwnClaim::is_in(const Fd& place) const {
  struct stat held {};
  struct stat named {};
  return ::fstat(file_.get(), &held) == 0 &&
         ::fstatat(place.get(), name_.c_str(), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         held.st_ino == named.st_ino && held.st_dev == named.st_dev;
}

Result<void> OwnClaim::write(const wire::GpuClaim& claim) const {
  const std::string text = wire::encode(claim);
  errno = ENOSPC;  // what a write that stops halfway means
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(file_.get(), static_cast<off_t>(text.size())) != 0) {
    return lease_trouble(lease_directory(), "a GPU lease", errno);
  }
  return {};
}

void OwnClaim::remove(const Fd& place) {
  ::unlinkat(place.get(), name_.c_str(), 0);
  file_.reset();
}

void OwnClaim::touch() const {
  ::futimens(file_.get(), nullptr);
}

}  // namespace yonder::outpost
