#include "outpost/key_request.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/remove_run.h"
#include "outpost/self.h"

namespace yonder::outpost {
namespace {

constexpr std::string_view kNotKnown = "-";  // a streamed input

// By its letters: the directory itself may be gone when the key is used again.
std::string plain_directory(std::string path, const std::string& home) {
  if (path.empty() || path == "~") path = home;
  if (path.starts_with("~/")) path = home + path.substr(1);
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

std::string hash_of_words(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& word : words) text += concat(word.size(), ":", word);
  return hash_of(text);
}

std::string hash_of_command(const wire::StartRequest& request) {
  std::vector<std::string> words = request.argv;
  words.insert(words.begin(), request.command);
  return hash_of_words(words);
}

std::string hash_of_environment(const wire::StartRequest& request) {
  std::vector<std::string> words;
  for (const auto& [name, value] : request.env) {
    words.push_back(name);
    words.push_back(value);
  }
  return hash_of_words(words);
}

std::string hash_of_input(const wire::StartRequest& request) {
  if (request.stdin_mode == wire::StdinMode::Stream) return std::string(kNotKnown);
  return hash_of(request.stdin_mode == wire::StdinMode::Whole ? "=" + request.input : "");
}

std::string hash_of_limit(const std::optional<std::int64_t>& limit_ms) {
  return hash_of(limit_ms ? concat(*limit_ms) : "");
}

std::map<std::string, std::string> read_parts(std::string_view text) {
  std::map<std::string, std::string> parts;
  for (const auto& line : split(text, '\n')) {
    const std::size_t space = line.find(' ');
    if (space != std::string::npos) parts[line.substr(0, space)] = line.substr(space + 1);
  }
  return parts;
}

std::vector<std::string> differing(const std::string& before, const std::string& now) {
  const auto old = read_parts(before);
  std::vector<std::string> names;
  for (const auto& [name, hash] : read_parts(now)) {
    const auto found = old.find(name);
    if (found == old.end() || found->second == hash) continue;
    if (found->second != kNotKnown && hash != kNotKnown) names.push_back(name);
  }
  return names;
}

std::string how_it_ended(const RunRecord& record) {
  const auto exit = record.read_exit();
  if (!exit || !*exit) return "";
  if ((*exit)->code) return concat(", which has ended with exit code ", *(*exit)->code);
  if ((*exit)->signal) return concat(", which was ended by signal ", *(*exit)->signal);
  return ", which has ended";
}

}  // namespace

std::string parts_of(const wire::StartRequest& request, const std::string& home) {
  return concat("command ", hash_of_command(request), "\ncwd ",
                hash_of(plain_directory(request.cwd, home)), "\nenv ", hash_of_environment(request),
                "\nstdin ", hash_of_input(request), "\nlogin ", hash_of(request.login ? "1" : "0"),
                "\ntimeout ", hash_of_limit(request.timeout_ms), "\ngrace ",
                hash_of_limit(request.grace_ms), "\nbackground ",
                hash_of(request.background ? "1" : "0"), "\nlog_file ", hash_of(request.log_file),
                "\ngpus ", hash_of(concat(request.gpus)), "\ngpu_memory_mb ",
                hash_of(concat(request.gpu_memory_mb)), "\n");
}

Result<void> check_same_work(const RunRecord& record, const wire::StartRequest& request,
                             const std::string& home) {
  std::vector<std::string> names;
  if (const auto before = read_file(record.path("asked"), kSmallFile)) {
    names = differing(*before, parts_of(request, home));
  } else if (const auto spec = record.read_spec()) {
    const bool same = spec->command == request.command && spec->argv == request.argv;
    if (!same) names.emplace_back("command");
  }
  if (names.empty()) return check_output_kept(record);
  return Error{
      Errc::Conflict,
      concat("key '", printable(request.key), "' belongs to run ", record.id(),
             ", which was asked for with another ", join(names, ", ")),
      "nothing was run; use another key for other work, or ask for that run by its run_id"};
}

bool give_up_output(const RunRecord& record) {
  std::error_code ignored;
  const bool elsewhere = std::filesystem::is_symlink(record.path("log"), ignored);
  if (elsewhere || path_exists(record.path("emptied"))) return false;
  // First the word for it: an output that is merely not there would be taken for an empty one.
  if (!open_file(record.path("emptied"), O_WRONLY | O_CREAT | O_NONBLOCK)) return false;
  for (const auto& name : names_in(record.directory())) {
    const bool needed =
        name == "spec" || name == "asked" || name == "alive" || name == "exit" || name == "emptied";
    if (!needed) ::unlink(record.path(name.c_str()).c_str());
  }
  return true;
}

Result<void> check_output_kept(const RunRecord& record) {
  if (!path_exists(record.path("emptied"))) return {};
  return Error{Errc::Conflict,
               concat("the output of run ", record.id(), how_it_ended(record),
                      ", was removed over there to make room"),
               "nothing was run; to run the command again, use another key"};
}

}  // namespace yonder::outpost
