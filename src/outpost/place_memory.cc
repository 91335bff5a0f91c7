#include "outpost/place_memory.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "outpost/remove_run.h"
#include "outpost/self.h"

namespace yonder::outpost {
namespace {

constexpr std::string_view kNoteHead = "yonder place 1";
constexpr std::size_t kMostNote = 8192;
constexpr std::size_t kMostNotes = 100;  // of one user, where no home says which is meant
constexpr std::size_t kIdLetters = 16;
constexpr std::size_t kCopies = 2;
// Shared directories are cleared of what is old.
constexpr std::time_t kFreshS = 24L * 3600;

std::string notes_in(const std::string& shared, const Surroundings& around) {
  return concat(shared, "/yonder-", around.user_id, "/places");
}

std::string note_name(const Surroundings& around) {
  return hash_of(around.home);
}

// Nothing that another user could have put there is believed.
std::string read_own_file(const std::string& path) {
  const auto file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (!file || ::fstat(file->get(), &info) != 0) return "";
  if (!S_ISREG(info.st_mode) || info.st_uid != ::geteuid() || (info.st_mode & 022U) != 0) return "";
  std::string text(kMostNote, '\0');
  const ssize_t n = ::read(file->get(), text.data(), text.size());
  text.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return text;
}

bool is_own_notes(const std::string& notes) {
  return is_own_directory(notes.substr(0, notes.find_last_of('/')), 022) &&
         is_own_directory(notes, 022);
}

void add_note(const std::string& path, const Surroundings& around,
              std::vector<RememberedPlace>& places) {
  auto place = decode_place(read_own_file(path));
  if (!place || (!place->boot_id.empty() && place->boot_id != around.boot_id)) return;
  const auto known = std::find_if(places.begin(), places.end(), [&](const RememberedPlace& other) {
    return other.path == place->path && other.id == place->id;
  });
  if (known != places.end()) {
    known->notes.push_back(path);
    return;
  }
  place->notes = {path};
  places.push_back(*std::move(place));
}

std::vector<std::string> own_notes(const Surroundings& around) {
  std::vector<std::string> all;
  for (const auto& shared : around.shared) {
    const std::string notes = notes_in(shared, around);
    if (is_own_notes(notes)) all.push_back(notes);
  }
  return all;
}

// login(1) and others take "/" where the home is missing.
bool knows_home(const Surroundings& around) {
  return around.home.starts_with('/') && around.home != "/";
}

bool is_noted(const std::string& path, const std::string& text) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return false;
  return ::time(nullptr) - info.st_mtim.tv_sec < kFreshS && read_own_file(path) == text;
}

bool write_note(const std::string& notes, const std::string& name, const std::string& text) {
  if (is_own_notes(notes) && is_noted(concat(notes, "/", name), text)) return true;
  return claim_directory(notes.substr(0, notes.find_last_of('/'))) && claim_directory(notes) &&
         write_file_atomically(concat(notes, "/", name), text, Durability::Process);
}

// Two outposts may do this at the same moment: the first one's id counts.
std::string make_place_id(const std::string& state_dir) {
  const std::string id = random_letters(kIdLetters);
  const std::string fresh = concat(state_dir, "/.id-", ::getpid());
  if (!write_file_atomically(fresh, id + "\n", Durability::Process)) return "";
  [[maybe_unused]] const int linked = ::link(fresh.c_str(), (state_dir + "/id").c_str());
  ::unlink(fresh.c_str());
  return read_place_id(state_dir);
}

}  // namespace

std::string encode_place(const RememberedPlace& place) {
  return concat(kNoteHead, "\n", place.id, "\n", place.boot_id, "\n", place.path);
}

std::optional<RememberedPlace> decode_place(std::string_view text) {
  RememberedPlace place;
  for (std::string* line : {static_cast<std::string*>(nullptr), &place.id, &place.boot_id}) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return std::nullopt;
    if (line == nullptr && text.substr(0, end) != kNoteHead) return std::nullopt;
    if (line != nullptr) *line = text.substr(0, end);
    text.remove_prefix(end + 1);
  }
  place.path = text;  // the last, as it may hold anything but NUL
  const bool whole = place.path.starts_with('/') && place.path.find('\0') == std::string::npos;
  return whole && !place.id.empty() ? std::optional<RememberedPlace>(place) : std::nullopt;
}

std::string read_place_id(const std::string& state_dir) {
  const std::string text = read_own_file(state_dir + "/id");
  const std::string id(trim(text));
  const bool plain = id.size() <= 64 && std::all_of(id.begin(), id.end(), [](char c) {
                       return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                     });
  return plain ? id : "";
}

bool is_volatile(const std::string& state_dir) {
  if (state_dir.starts_with("/tmp/") || state_dir.starts_with("/dev/shm/")) return true;
  struct statfs system {};
  if (::statfs(state_dir.c_str(), &system) != 0) return false;
  return system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC;
}

std::vector<RememberedPlace> remembered_places(const Surroundings& around) {
  std::vector<RememberedPlace> places;
  const auto all = own_notes(around);
  for (const auto& notes : all) add_note(concat(notes, "/", note_name(around)), around, places);
  if (!places.empty() || knows_home(around)) return places;
  for (const auto& notes : all) {
    auto names = names_in(notes);
    if (names.size() > kMostNotes) names.resize(kMostNotes);
    for (const auto& name : names) add_note(concat(notes, "/", name), around, places);
  }
  return places;
}

void remember_place(Surroundings& around) {
  if (around.state_dir.empty() || around.shared.empty()) return;
  around.state_id = read_place_id(around.state_dir);
  if (around.state_id.empty()) around.state_id = make_place_id(around.state_dir);
  if (around.state_id.empty()) return;
  const std::string text =
      encode_place({.path = around.state_dir,
                    .id = around.state_id,
                    .boot_id = is_volatile(around.state_dir) ? around.boot_id : "",
                    .notes = {}});
  std::size_t copies = 0;
  for (const auto& shared : around.shared) {
    if (copies < kCopies && write_note(notes_in(shared, around), note_name(around), text)) ++copies;
  }
}

}  // namespace yonder::outpost
