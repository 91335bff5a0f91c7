#include "tree/trash_batch.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "tree/beneath.h"
#include "tree/directory_names.h"

// Hashes that name the other places.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace yonder::tree {
namespace {

constexpr std::string_view kInfoHead = "yonder-trash 1\n";
constexpr std::size_t kInfoLimit = 65536;
constexpr std::size_t kIdSize = 20;
constexpr std::string_view kPlaceSuffix = ".place";
constexpr std::string_view kTrashStem = ".yonder-trash";

// Takes "<key> <value>\n" from the front.
bool take_line(std::string_view& text, std::string_view key, std::string_view& value) {
  if (text.substr(0, key.size()) != key || text.size() <= key.size() || text[key.size()] != ' ') {
    return false;
  }
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return false;
  value = text.substr(key.size() + 1, end - key.size() - 1);
  text.remove_prefix(end + 1);
  return true;
}

Result<std::string> read_small(const Fd& fd) {
  std::string content;
  std::array<char, 4096> buffer{};
  while (content.size() <= kInfoLimit) {
    TRY_ASSIGN(const std::size_t n, read_some(fd, buffer.data(), buffer.size()));
    if (n == 0) return content;
    content.append(buffer.data(), n);
  }
  return Error{Errc::Protocol, "the description of a trash batch is too long", ""};
}

std::string place_link(const TrashPlace& place, const std::string& directory) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint64_t hash = XXH3_64bits(directory.data(), directory.size());
  std::string name(16, '0');
  for (std::size_t i = name.size(); i-- > 0; hash >>= 4U) name[i] = kDigits[hash & 15U];
  return concat(main_trash(place), "/", name, kPlaceSuffix);
}

}  // namespace

std::string layer_name(std::size_t layer) {
  return layer == 0 ? "files" : concat("files.", layer);
}

Result<std::vector<std::string>> split_relative(std::string_view relative) {
  TRY(check_relative(relative));
  return split(relative, '/');
}

Result<Fd> open_directory_at(int dir_fd, const std::string& name) {
  Fd fd(::openat(dir_fd, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd) return errno_error("open directory " + printable(name));
  return fd;
}

Result<void> write_batch_info(int batch_fd, const BatchInfo& info) {
  const Fd fd(::openat(batch_fd, "info", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!fd) return errno_error("open info of a trash batch");
  // The root comes last, and is the rest of the file: it may have any byte in it.
  return write_all(fd, concat(kInfoHead, "why ", info.why, "\ncreated_ms ", info.created_ms,
                              "\nroot ", info.root));
}

Result<BatchInfo> read_batch_info(int batch_fd) {
  const Fd fd(::openat(batch_fd, "info", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return errno_error("open info of a trash batch");
  TRY_ASSIGN(const std::string content, read_small(fd));
  const Error broken{Errc::Protocol, "the description of a trash batch is damaged", ""};
  std::string_view rest = content;
  if (rest.substr(0, kInfoHead.size()) != kInfoHead) return broken;
  rest.remove_prefix(kInfoHead.size());
  std::string_view why;
  std::string_view created;
  if (!take_line(rest, "why", why) || !take_line(rest, "created_ms", created)) return broken;
  BatchInfo info{.why = std::string(why)};
  const char* const end = created.data() + created.size();
  if (std::from_chars(created.data(), end, info.created_ms).ptr != end) return broken;
  if (rest.substr(0, 6) != "root /") return broken;
  info.root = rest.substr(5);
  return info;
}

bool is_batch_id(std::string_view name) {
  if (name.size() != kIdSize || name[8] != 'T' || name[15] != '-') return false;
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  return std::all_of(name.begin(), name.begin() + 8, digit) &&
         std::all_of(name.begin() + 9, name.begin() + 15, digit) &&
         std::all_of(name.begin() + 16, name.end(), letter);
}

std::string new_batch_id(std::int64_t now_ms) {
  const time_t seconds = now_ms / 1000;
  tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = ::strftime(text.data(), text.size(), "%Y%m%dT%H%M%S", &parts);
  return concat(std::string_view(text.data(), size), "-", random_letters(4));
}

std::string own_trash_name() {
  return concat(kTrashStem, "-", ::geteuid());
}

bool is_trash_name(std::string_view name) {
  if (!name.starts_with(kTrashStem)) return false;
  name.remove_prefix(kTrashStem.size());
  if (name.empty()) return true;
  if (name.front() != '-') return false;
  name.remove_prefix(1);
  const std::size_t digits = name.find_first_not_of("0123456789");
  if (digits == std::string_view::npos) return !name.empty();
  return digits > 0 && name[digits] == '-';
}

std::vector<std::string> trashes_in(const std::string& root) {
  const std::string before = concat(root == "/" ? "" : root, "/");
  return {before + own_trash_name(), concat(before, kTrashStem)};
}

std::string main_trash(const TrashPlace& place) {
  return place.state_dir + "/trash";
}

void remember_trash(const TrashPlace& place, const std::string& directory) {
  // Without it the batches are there all the same; only a list of all of them does not know.
  if (place.state_dir.empty() || !make_directories(main_trash(place))) return;
  [[maybe_unused]] const int done =
      ::symlink(directory.c_str(), place_link(place, directory).c_str());
}

std::vector<std::string> known_trashes(const TrashPlace& place) {
  std::vector<std::string> places{main_trash(place)};
  const auto main = open_own_directory(places.front());
  if (!main) return places;
  const auto names = sorted_names_in(main->get());
  if (!names) return places;
  for (const std::string& name : *names) {
    if (!std::string_view(name).ends_with(kPlaceSuffix)) continue;
    std::array<char, 4096> target{};
    const auto size = ::readlinkat(main->get(), name.c_str(), target.data(), target.size());
    if (size <= 0 || static_cast<std::size_t>(size) == target.size()) continue;
    places.emplace_back(target.data(), static_cast<std::size_t>(size));
    // The place is gone, and what was in it.
    if (!path_exists(places.back())) ::unlinkat(main->get(), name.c_str(), 0);
  }
  return places;
}

Result<std::vector<std::string>> sorted_names_in(int dir_fd) {
  TRY_ASSIGN(std::vector<std::string> names, names_in(dir_fd));
  std::sort(names.begin(), names.end());
  return names;
}

Result<void> check_own(int dir_fd, const std::string& path) {
  struct stat info {};
  if (::fstat(dir_fd, &info) != 0) return errno_error("stat " + path);
  if (info.st_uid == ::geteuid()) return {};
  return Error{Errc::Conflict, path + " belongs to somebody else", "ask them to remove it"};
}

Result<Fd> open_own_directory(const std::string& path) {
  TRY_ASSIGN(Fd fd, open_directory_at(AT_FDCWD, path));
  TRY(check_own(fd.get(), path));
  return fd;
}

}  // namespace yonder::tree
