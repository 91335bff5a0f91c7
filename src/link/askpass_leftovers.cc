#include "link/askpass_leftovers.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "link/askpass_socket.h"

namespace yonder::link {
namespace {

constexpr std::size_t kBootLetters = 8;
constexpr std::size_t kRandomLetters = 8;

// How the names of this boot begin. Empty where the system does not tell boots apart: then nothing
// is known of other people's sockets.
std::string lead_of_this_boot() {
  const auto boot = read_file("/proc/sys/kernel/random/boot_id", 128);
  if (!boot || boot->size() < kBootLetters) return "";
  return concat("ask-", boot->substr(0, kBootLetters), "-");
}

// Not an unfinished one: it is bound, or about to be.
bool is_finished_name(const std::string& name, const std::string& lead) {
  return name.starts_with(lead) && name.size() == lead.size() + kRandomLetters;
}

bool is_our_socket(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && S_ISSOCK(info.st_mode) && info.st_uid == ::geteuid();
}

}  // namespace

std::string new_socket_path(const std::string& directory) {
  const std::string lead = lead_of_this_boot();
  return concat(directory, "/", lead.empty() ? "ask-" : lead, random_letters(kRandomLetters));
}

void remove_leftovers(const std::string& directory) {
  const std::string lead = lead_of_this_boot();
  if (lead.empty()) return;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    const std::string path = entry->path().native();
    if (!is_finished_name(entry->path().filename().native(), lead)) continue;
    if (is_our_socket(path) && is_bound_by_nobody(path)) ::unlink(path.c_str());
  }
}

}  // namespace yonder::link
