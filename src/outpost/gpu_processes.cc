#include "outpost/gpu_processes.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/fd.h"
#include "base/file.h"
#include "base/text.h"
#include "base/user_name.h"
#include "outpost/tool.h"

namespace yonder::outpost {
namespace {

constexpr std::size_t kMaxCommand = 80;

// A process may have replaced its line by a title, which holds blanks.
std::string file_name(std::string_view path) {
  path = path.substr(0, path.find_first_of(" \t\n"));
  const std::size_t slash = path.find_last_of('/');
  return std::string(slash == std::string_view::npos ? path : path.substr(slash + 1));
}

bool is_python(std::string_view program) {
  return program.starts_with("python") || program.starts_with("pypy");
}

bool runs_scripts(std::string_view program) {
  constexpr std::array<std::string_view, 11> kOthers{
      "sh", "bash", "dash", "zsh", "perl", "ruby", "node", "lua", "php", "Rscript", "julia"};
  return is_python(program) || std::find(kOthers.begin(), kOthers.end(), program) != kOthers.end();
}

// "-u", "-Bs": switches of Python that take no value.
bool is_plain_switch(std::string_view word) {
  constexpr std::string_view kSwitches = "bBdEhiIOPqRsSuvVx?";
  return word.size() > 1 && word[0] == '-' &&
         word.find_first_not_of(kSwitches, 1) == std::string_view::npos;
}

bool is_module(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.';
  });
}

// Empty when that is not clear: then any word may be an argument.
std::string script_of(std::string_view program, const std::vector<std::string>& words) {
  if (!runs_scripts(program)) return "";
  std::size_t at = 1;
  while (is_python(program) && at < words.size() && is_plain_switch(words[at])) ++at;
  if (at >= words.size()) return "";
  if (is_python(program) && words[at] == "-m" && at + 1 < words.size()) {
    return is_module(words[at + 1]) ? "-m " + words[at + 1] : "";
  }
  return words[at].starts_with('-') ? "" : file_name(words[at]);
}

std::string command_of(const std::string& process) {
  const auto file = open_file(process + "/cmdline", O_RDONLY);
  if (!file) return "";
  std::array<char, 4096> start{};  // the rest would not be shown
  const auto n = read_some(*file, start.data(), start.size());
  return n ? command_shown({start.data(), *n}) : "";
}

}  // namespace

std::string command_shown(std::string_view cmdline) {
  const std::vector<std::string> words = split(cmdline, '\0');
  const std::string program = words.empty() ? "" : file_name(words.front());
  const std::string script = script_of(program, words);
  return shown(script.empty() ? program : concat(program, " ", script), kMaxCommand);
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
