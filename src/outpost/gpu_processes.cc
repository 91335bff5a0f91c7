#include "outpost/gpu_processes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/tool.h"
#include "outpost/user_name.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxCommand = 80;

std::string command_of(const std::string& process) {
  const auto file = open_file(process + "/cmdline", O_RDONLY);
  if (!file) return "";
  std::array<char, 4096> start{};  // the rest would not be shown
  const auto n = read_some(*file, start.data(), start.size());
  return n ? command_shown({start.data(), *n}) : "";
}

}  // namespace

std::string command_shown(std::string_view cmdline) {
  while (!cmdline.empty() && cmdline.back() == '\0') cmdline.remove_suffix(1);
  std::string line(cmdline);
  std::replace(line.begin(), line.end(), '\0', ' ');
  return shown(line, kMaxCommand);
}

void see_processes(std::vector<resources::Gpu>& gpus) {
  std::map<uid_t, std::string> names;  // one look into the list of users for each
  for (auto& gpu : gpus) {
    if (!gpu.processes) continue;
    for (auto& process : *gpu.processes.value) {
      const std::string directory = concat("/proc/", process.pid);
      struct stat info {};
      if (::stat(directory.c_str(), &info) != 0) continue;
      auto [name, added] = names.try_emplace(info.st_uid);
      if (added) name->second = user_name(info.st_uid);
      process.user = name->second;
      std::string command = command_of(directory);
      if (!command.empty()) process.command = std::move(command);
    }
  }
}

}  // namespace yonder::outpost
