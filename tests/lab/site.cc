#include "lab/site.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "lab/processes.h"
#include "lab/ways.h"

namespace yonder::lab {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLabPrefix = "yonder-lab-";

// Programs keep their own things in shared places under the user's id: yonder-7001, tmux-7001.
void remove_leftovers(uid_t first) {
  for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(parent, error)) {
      struct stat info {};
      if (::lstat(entry.path().c_str(), &info) != 0) continue;
      if (info.st_uid < first || info.st_uid >= first + UidRange::kSize) continue;
      if (!entry.path().filename().native().ends_with(concat("-", info.st_uid))) continue;
      fs::remove_all(entry.path(), error);
    }
  }
}

// The user who runs the lab keeps things under its own id there too; of the lab are only the notes
// that name a place in it.
void remove_notes_of(const std::string& directory) {
  for (const char* parent : {"/tmp", "/var/tmp", "/dev/shm"}) {
    std::error_code error;
    const std::string notes = concat(parent, "/yonder-", ::geteuid(), "/places");
    for (const auto& entry : fs::directory_iterator(notes, error)) {
      const auto text = read_file(entry.path(), 1 << 16);
      if (text && text->find(directory + "/") != std::string::npos) fs::remove(entry.path(), error);
    }
  }
}

}  // namespace

std::string lab_parent() {
  const char* wanted = std::getenv("TMPDIR");
  return wanted == nullptr || *wanted == '\0' ? "/tmp" : wanted;
}

Result<Site> make_site(bool several_users) {
  Site site{.directory = concat(lab_parent(), "/", kLabPrefix, ::getpid(), "-", random_letters(8)),
            .uids = {.first = kOnlyUid, .lock = {}}};
  if (several_users) {
    TRY_ASSIGN(site.uids, claim_uids());
  }
  TRY(make_directory(site.directory));
  if (::chmod(site.directory.c_str(), 0755) != 0) return errno_error("chmod " + site.directory);
  return site;
}

void remove_site(const Site& site) {
  std::error_code ignored;
  fs::remove_all(site.directory, ignored);
  remove_notes_of(site.directory);
  if (site.uids.lock) remove_leftovers(site.uids.first);
}

void remove_stale_sites() {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(lab_parent(), error)) {
    const std::string name = entry.path().filename();
    if (!name.starts_with(kLabPrefix) || entry.is_symlink(error)) continue;
    struct stat info {};
    if (::lstat(entry.path().c_str(), &info) != 0 || info.st_uid != ::geteuid()) continue;
    const auto age = std::chrono::system_clock::now() -
                     std::chrono::system_clock::from_time_t(info.st_mtim.tv_sec);
    const pid_t owner = std::atoi(name.c_str() + std::string_view(kLabPrefix).size());
    if (age < std::chrono::hours(24) || owner <= 0 || ::kill(owner, 0) == 0) continue;
    kill_and_wait(processes_in_lab(entry.path()));
    fs::remove_all(entry.path(), error);
  }
}

}  // namespace yonder::lab
