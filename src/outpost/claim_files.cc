#include "outpost/claim_files.h"

#include <dirent.h>
#include <fcntl.h>
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
#include "base/user_name.h"
#include "outpost/lease_place.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kDigits = 16;
// Files that count for nothing cost a look each.
constexpr std::size_t kMostNames = 32768;

std::optional<ClaimName> parse_name(const std::string& text) {
  if (!text.starts_with(kClaimPrefix) || text.size() < kClaimPrefix.size() + kDigits + 2)
    return std::nullopt;
  ClaimName name{.text = text};
  const char* begin = text.data() + kClaimPrefix.size();
  const auto read = std::from_chars(begin, begin + kDigits, name.number);
  if (read.ec != std::errc() || read.ptr != begin + kDigits || *read.ptr != '.') {
    return std::nullopt;
  }
  if (!parse_run_id(text.substr(kClaimPrefix.size() + kDigits + 1))) return std::nullopt;
  return name;
}

struct CloseDirectory {
  void operator()(DIR* directory) const { ::closedir(directory); }
};

uid_t most_frequent(const std::map<uid_t, std::size_t>& counts) {
  const auto most = std::max_element(counts.begin(), counts.end(),
                                     [](auto& a, auto& b) { return a.second < b.second; });
  return most == counts.end() ? 0 : most->first;
}

Error too_many_files(const Fd& place, const std::vector<std::string>& names) {
  std::map<uid_t, std::size_t> counts;
  struct stat info {};
  for (const auto& name : names) {
    if (::fstatat(place.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      ++counts[info.st_uid];
    }
  }
  return too_many("files", counts);
}

}  // namespace

std::string claim_name(std::uint64_t number, const std::string& run_id) {
  std::array<char, kDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llu", static_cast<unsigned long long>(number));
  return concat(kClaimPrefix, digits.data(), ".", run_id);
}

Result<std::vector<std::string>> claim_files(const Fd& place, std::string_view prefix) {
  const int copy = ::openat(place.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return errno_error("the GPU leases");
  const std::unique_ptr<DIR, CloseDirectory> directory(::fdopendir(copy));
  if (!directory) {
    ::close(copy);
    return errno_error("the GPU leases");
  }
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(directory.get())) {
    if (std::string_view(entry->d_name).starts_with(prefix)) names.emplace_back(entry->d_name);
    if (names.size() > kMostNames) return too_many_files(place, names);
  }
  return names;
}

Result<std::vector<ClaimName>> claim_names(const Fd& place) {
  TRY_ASSIGN(const std::vector<std::string> files, claim_files(place, kClaimPrefix));
  std::vector<ClaimName> names;
  for (const auto& file : files) {
    if (auto name = parse_name(file)) names.push_back(*std::move(name));
  }
  const auto by_number = [](const ClaimName& a, const ClaimName& b) {
    return a.number != b.number ? a.number < b.number : a.text < b.text;
  };
  std::sort(names.begin(), names.end(), by_number);
  return names;
}

Error too_many(const char* what, const std::map<uid_t, std::size_t>& by_owner) {
  const std::string user = user_name(most_frequent(by_owner));
  return Error{Errc::Conflict,
               concat("there are too many ", what, " in ", printable(lease_directory()),
                      ", most of them by ", user),
               concat(user, " or root must remove them")};
}

Result<void> hold_claim(const Fd& file) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) return errno_error("the lock of a GPU lease");
  return {};
}

Result<bool> is_held_claim(const Fd& file) {
  struct flock lock {};
  lock.l_type = F_RDLCK;
  lock.l_whence = SEEK_SET;
  if (::fcntl(file.get(), F_OFD_GETLK, &lock) != 0) return errno_error("the lock of a GPU lease");
  return lock.l_type != F_UNLCK;
}

}  // namespace yonder::outpost
