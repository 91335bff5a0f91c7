#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/render.h"
#include "ops/files_json.h"

namespace yonder::cli {
namespace {

int show_trash(const files::TrashReply& reply, const FileWork& work, bool json) {
  if (json) return print_json_then(ops::trash_json(reply));
  const Screen shown_on = screen(work.engine().environment);
  const std::string text =
      shown_on.terminal ? aligned_table({"BATCH", "AGE", "WHY", "FILES", "SIZE", "BELOW", "IN"},
                                        trash_sizes(reply), shown_on.width, shown_on.styled)
                        : tab_separated(trash_sizes(reply));
  const int printed = reply.batches.empty() ? kExitSuccess : print_then(text);
  if (printed != kExitSuccess) return printed;
  say(reply.batches.empty() ? "nothing is in the trash"
                            : concat(trash_total(reply), " in the trash"));
  return kExitSuccess;
}

// False when the answer is no, or an interruption.
bool is_confirmed(const std::string& question, int wake) {
  redraw(question);
  std::array<pollfd, 2> ready{pollfd{STDIN_FILENO, POLLIN, 0}, pollfd{wake, POLLIN, 0}};
  while (::poll(ready.data(), ready.size(), -1) < 0) {
    if (errno != EINTR) return false;
  }
  if (ready[1].revents != 0) return false;
  std::array<char, 64> answer{};
  const ssize_t n = ::read(STDIN_FILENO, answer.data(), answer.size());
  return n > 0 && (answer[0] == 'y' || answer[0] == 'Y');
}

Result<bool> may_empty(const TrashOptions& options, const files::TrashReply& reply,
                       const FileWork& work, const std::string& sandbox) {
  if (options.yes) return true;
  if (options.json || ::isatty(STDIN_FILENO) != 1 || !stderr_is_terminal()) {
    return Error{Errc::InvalidArgument,
                 concat("there is no terminal to ask at whether ", trash_total(reply),
                        " may be removed from the trash for good"),
                 "add --yes if they may"};
  }
  return is_confirmed(concat("remove ", trash_total(reply), " from the trash of ",
                             printable(sandbox), " for good? [y/N] "),
                      work.interrupts().wake_fd());
}

int empty_trash(const TrashOptions& options, const files::TrashReply& reply, FileWork& work) {
  if (!reply.batches.empty()) {
    const auto may = may_empty(options, reply, work, work.files().sandbox().name);
    if (!may) return work.fail(may.error(), options.json);
    if (!*may) {
      say("nothing was removed");
      return kExitProblems;
    }
  }
  files::EmptyTrashReply done;
  if (!reply.batches.empty()) {
    files::EmptyTrashRequest request;
    for (const auto& batch : reply.batches) request.batches.push_back(batch.id);
    auto emptied = work.files().empty_trash(request);
    if (!emptied) return work.fail(emptied.error(), options.json);
    done = *std::move(emptied);
  }
  const int status = done.kept.empty() ? kExitSuccess : kExitProblems;
  if (options.json) return print_json_then(ops::to_json(done), status);
  for (const auto& kept : done.kept) say(concat(printable(kept.path), " stays: ", kept.reason));
  say(concat("removed ", done.batches, done.batches == 1 ? " batch, " : " batches, ",
             human_bytes(done.bytes)));
  return status;
}

}  // namespace

int trash_command(const TrashOptions& options, const Doors& doors) {
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return fail_before(work.error(), options.json);
  auto reply = (*work)->files().trash({.max_paths = 1});
  if (!reply) return (*work)->fail(reply.error(), options.json);
  if (options.older_than) keep_older(*reply, *options.older_than);
  if (options.empty) return empty_trash(options, *reply, **work);
  return show_trash(*reply, **work, options.json);
}

}  // namespace yonder::cli
