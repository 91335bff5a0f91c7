#include "outpost/gpu_claims.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>

#include "base/clean_text.h"
#include "base/id.h"
#include "base/text.h"
#include "outpost/machine.h"
#include "outpost/processes.h"
#include "outpost/user_name.h"

namespace yonder::outpost {
namespace {

constexpr std::string_view kPrefix = "claim.";
constexpr std::size_t kDigits = 16;
constexpr std::uint64_t kLastNumber = 9999999999999999;  // of so many digits
constexpr off_t kLargest = 65536;
constexpr mode_t kReadable = 0644;
constexpr std::size_t kMostClaims = 4096;

std::string name_for(std::uint64_t number, const std::string& run_id) {
  std::array<char, kDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llu", static_cast<unsigned long long>(number));
  return concat(kPrefix, digits.data(), ".", run_id);
}

struct Name {
  std::string text;
  std::uint64_t number = 0;
};

std::optional<Name> parse_name(const std::string& text) {
  if (!text.starts_with(kPrefix) || text.size() < kPrefix.size() + kDigits + 2) return std::nullopt;
  Name name{.text = text};
  const char* begin = text.data() + kPrefix.size();
  const auto read = std::from_chars(begin, begin + kDigits, name.number);
  if (read.ec != std::errc() || read.ptr != begin + kDigits || *read.ptr != '.') {
    return std::nullopt;
  }
  if (!parse_run_id(text.substr(kPrefix.size() + kDigits + 1))) return std::nullopt;
  return name;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

Result<std::vector<Name>> names_in(const Fd& place) {
  const int copy = ::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return errno_error("the GPU leases");
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(copy));
  if (!directory) {
    ::close(copy);
    return errno_error("the GPU leases");
  }
  std::vector<Name> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (auto name = parse_name(entry->d_name)) names.push_back(*std::move(name));
    if (names.size() > kMostClaims) {
      return Error{Errc::Conflict, "there are too many GPU claims on this machine",
                   "look at the files in " + std::string(kPrefix) + "*"};
    }
  }
  const auto by_number = [](const Name& a, const Name& b) {
    return a.number != b.number ? a.number < b.number : a.text < b.text;
  };
  std::sort(names.begin(), names.end(), by_number);
  return names;
}

struct Looked {
  bool locked = false;
  uid_t owner = 0;
  Result<wire::GpuClaim> claim = wire::GpuClaim{};
};

Result<wire::GpuClaim> read_claim(const Fd& file, off_t size, const Name& name) {
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

// Nothing when it is gone, or no file that Yonder would have made.
std::optional<Looked> look_at_claim(const Fd& place, const Name& name) {
  const Fd file(
      ::openat(place.get(), name.text.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode) || info.st_nlink != 1) return std::nullopt;
  Looked looked{.owner = info.st_uid};
  looked.locked = ::flock(file.get(), LOCK_SH | LOCK_NB) != 0;
  looked.claim = read_claim(file, info.st_size, name);
  return looked;
}

// Its supervisor was killed; the command it has left behind still uses the GPU.
bool command_lives(const wire::GpuClaim& claim) {
  return claim.command.pid > 0 && claim.boot_id == read_boot_id() &&
         claim.pid_ns == read_pid_namespace() && lives(claim.command);
}

bool counts(const Looked& looked) {
  return looked.locked || (looked.claim && command_lives(*looked.claim));
}

}  // namespace

Result<std::vector<SeenClaim>> live_claims(const Fd& place) {
  TRY_ASSIGN(const std::vector<Name> names, names_in(place));
  std::vector<SeenClaim> claims;
  for (const auto& name : names) {
    auto looked = look_at_claim(place, name);
    if (!looked || !counts(*looked)) continue;
    if (!looked->claim) {
      return Error{Errc::Conflict,
                   concat("a GPU lease of ", user_name(looked->owner), " cannot be read (",
                          printable(name.text), "): ", looked->claim.error().message),
                   "it is void as soon as its process ends"};
    }
    claims.push_back(
        {.number = name.number, .owner = looked->owner, .claim = *std::move(looked->claim)});
  }
  return claims;
}

void remove_dead_claims(const Fd& place) {
  const auto names = names_in(place);
  if (!names) return;
  for (const auto& name : *names) {
    const auto looked = look_at_claim(place, name);
    if (!looked || looked->owner != ::geteuid() || counts(*looked)) continue;
    ::unlinkat(place.get(), name.text.c_str(), 0);
  }
}

Result<OwnClaim> OwnClaim::enter(const Fd& place, const wire::GpuClaim& claim) {
  TRY_ASSIGN(const std::vector<SeenClaim> claims, live_claims(place));
  const std::uint64_t number = claims.empty() ? 1 : claims.back().number + 1;
  if (number > kLastNumber) {
    return Error{Errc::Conflict,
                 concat("a GPU lease of ", user_name(claims.back().owner), " has the last number"),
                 "nobody can come after it; it must end first"};
  }
  const std::string name = name_for(number, claim.run_id);
  const std::string unfinished = concat("new.", ::getpid(), ".", claim.run_id);
  ::unlinkat(place.get(), unfinished.c_str(), 0);
  Fd file(::openat(place.get(), unfinished.c_str(),
                   O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file) return errno_error("a GPU lease");
  // Locked before it can be seen: a claim that nobody holds counts for nothing.
  OwnClaim own(std::move(file), number, name);
  ::fchmod(own.file_.get(), kReadable);
  auto done = own.write(claim);
  if (done && ::flock(own.file_.get(), LOCK_EX | LOCK_NB) != 0) done = errno_error("a GPU lease");
  if (done && ::renameat(place.get(), unfinished.c_str(), place.get(), name.c_str()) != 0) {
    done = errno_error("a GPU lease");
  }
  if (done) return own;
  ::unlinkat(place.get(), unfinished.c_str(), 0);
  return std::move(done).error();
}

Result<void> OwnClaim::write(const wire::GpuClaim& claim) const {
  const std::string text = wire::encode(claim);
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size()) ||
      ::ftruncate(file_.get(), static_cast<off_t>(text.size())) != 0) {
    return errno_error("a GPU lease");
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
