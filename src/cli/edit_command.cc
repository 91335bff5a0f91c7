#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/render.h"

namespace yonder::cli {
namespace {

constexpr std::size_t kMostEdited = 6UL * 1024 * 1024;
constexpr std::uint64_t kEditedPiece = 4UL * 1024 * 1024;

struct Original {
  std::string content;
  std::string hash;  // empty: there is no such file yet
};

std::string editor_variable(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& setting : environment) {
    if (setting.size() > name.size() && setting.starts_with(name) && setting[name.size()] == '=') {
      return setting.substr(name.size() + 1);
    }
  }
  return "";
}

std::string editor_of(const std::vector<std::string>& environment) {
  for (const char* name : {"VISUAL", "EDITOR"}) {
    std::string editor = editor_variable(environment, name);
    if (!editor.empty()) return editor;
  }
  return "vi";
}

Result<Original> fetch(ops::FarFiles& far, const std::string& path) {
  Original original;
  while (true) {
    auto part =
        far.read({.path = path, .offset = original.content.size(), .max_bytes = kEditedPiece});
    if (!part && part.error().code == Errc::NotFound && original.content.empty()) return original;
    if (!part) return std::move(part).error();
    if (part->size > kMostEdited) {
      return Error{Errc::InvalidArgument, concat("it is larger than ", human_bytes(kMostEdited)),
                   "edit it over there"};
    }
    const bool changed = !original.hash.empty() && original.hash != part->hash;
    if (part->hash.empty() || changed) {
      return Error{Errc::Conflict, "it is being changed just now", "try again"};
    }
    original.hash = part->hash;
    original.content += part->content;
    if (!part->truncated || part->content.empty()) return original;
  }
}

// A directory for us alone, with the copy in it under the file's own name, so that the editor knows
// what kind of file it is.
Result<std::string> make_copy(const std::vector<std::string>& environment, const std::string& path,
                              const std::string& content) {
  std::string place = editor_variable(environment, "TMPDIR");
  if (!place.starts_with('/')) place = "/tmp";
  place += "/yonder-edit-XXXXXX";
  if (::mkdtemp(place.data()) == nullptr) return errno_error("mkdtemp " + place);
  std::string name = path.substr(path.find_last_of('/') + 1);
  if (name.empty() || name == "." || name == "..") name = "file";
  std::string copy = concat(place, "/", name);
  TRY(write_file_atomically(copy, content, Durability::Process));
  return copy;
}

void remove_copy(const std::string& copy) {
  ::unlink(copy.c_str());
  // Whatever the editor has left there (a backup) keeps the directory.
  ::rmdir(copy.substr(0, copy.find_last_of('/')).c_str());
}

// On our own terminal. The shell sees to variables such as "code --wait".
Result<void> run_editor(const std::vector<std::string>& environment, const std::string& copy) {
  std::string line = concat(editor_of(environment), " \"$@\"");
  std::string file = copy;
  std::string shell = "sh";
  std::string flag = "-c";
  std::vector<char*> argv{shell.data(), flag.data(), line.data(),
                          shell.data(), file.data(), nullptr};
  std::vector<std::string> settings = environment;
  std::vector<char*> variables;
  for (std::string& setting : settings) variables.push_back(setting.data());
  variables.push_back(nullptr);
  pid_t pid = -1;
  const int failed =
      ::posix_spawn(&pid, "/bin/sh", nullptr, nullptr, argv.data(), variables.data());
  if (failed != 0) return errno_error("start the editor", failed);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return errno_error("wait for the editor");
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{Errc::Cancelled, "the editor failed, so nothing was written", ""};
}

int keep_copy(Error error, const std::string& copy) {
  if (error.code == Errc::Conflict) {
    error.hint = "look at what is there now; `yonder write --from COPY PATH` puts yours there";
  }
  say_error(error);
  say(concat("your copy is ", printable(copy)));
  return kExitFailure;
}

}  // namespace

int edit_command(const EditOptions& options, const Doors& doors) {
  Original original;
  std::vector<std::string> environment;
  {
    // Not while the editor runs: Ctrl-C belongs to it then.
    const auto work = FileWork::begin(doors, options.sandbox);
    if (!work) return fail_before(work.error(), false);
    environment = (*work)->engine().environment;
    auto fetched = fetch((*work)->files(), options.path);
    if (!fetched) return (*work)->fail(fetched.error(), false);
    original = *std::move(fetched);
  }
  const auto copy = make_copy(environment, options.path, original.content);
  if (!copy) return fail_before(copy.error(), false);
  const auto edited = run_editor(environment, *copy);
  auto content = read_file(*copy, kMostEdited);
  if (!edited && content && *content == original.content) {
    remove_copy(*copy);
    return fail_before(edited.error(), false);
  }
  if (!edited) return keep_copy(edited.error(), *copy);
  if (!content) return keep_copy(content.error(), *copy);
  if (*content == original.content && (!original.hash.empty() || content->empty())) {
    say("nothing was changed");
    remove_copy(*copy);
    return kExitSuccess;
  }
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return keep_copy(work.error(), *copy);
  const auto written = (*work)->files().write(
      {.path = options.path, .content = *std::move(content), .expected_hash = original.hash});
  if (!written) return keep_copy(written.error(), *copy);
  remove_copy(*copy);
  for (const auto& warning : written->warnings) say(warning);
  say(concat("wrote ", safe_name(written->path),
             written->batch.empty()
                 ? ""
                 : concat("; the old one: ",
                          restore_line((*work)->files().sandbox().name, written->batch))));
  return kExitSuccess;
}

}  // namespace yonder::cli
