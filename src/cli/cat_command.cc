#include <algorithm>
#include <cerrno>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/exit_status.h"
#include "cli/file_commands.h"
#include "cli/render.h"
#include "cli/terminal_text.h"
#include "ops/files_json.h"

namespace yonder::cli {
namespace {

constexpr std::uint64_t kPiece = 4UL * 1024 * 1024;

// Prints files piece by piece, so that none is too large.
class Cat {
 public:
  Cat(const CatOptions& options, FileWork& work)
      : options_(options),
        work_(work),
        out_(Output::to_stdout(work.interrupts().wake_fd())),
        screen_(screen(work.engine().environment)),
        safe_(screen_.styled) {}

  Result<void> print_file(const std::string& path) {
    files::ReadRequest request{.path = path,
                               .offset = options_.offset,
                               .max_bytes = kPiece,
                               .first_line = options_.first_line,
                               .lines = options_.lines,
                               .tail = options_.tail,
                               .want_hash = false};
    std::uint64_t bytes_left = options_.bytes.value_or(UINT64_MAX);
    std::uint64_t lines_left = options_.lines.value_or(UINT64_MAX);
    while (bytes_left > 0 && lines_left > 0 && !gone()) {
      request.max_bytes = std::min(kPiece, bytes_left);
      TRY_ASSIGN(const files::ReadReply reply, work_.files().read(request));
      const std::string_view piece = whole_lines(reply.content, lines_left);
      pass_on(piece);
      bytes_left -= std::min<std::uint64_t>(bytes_left, piece.size());
      if (!reply.truncated || reply.content.empty()) break;
      if (reply.offset + reply.content.size() >= reply.size) break;  // a tail that did not fit
      // What follows is asked for by its place, whatever the beginning was asked for by.
      request = {.path = path, .offset = reply.offset + reply.content.size(), .want_hash = false};
    }
    return {};
  }

  int finish() {
    if (screen_.terminal && !gone()) pass_on_as_is(safe_.finish());
    return written_ == Written::Interrupted ? kExitSuccess : status_after(written_, error_);
  }

 private:
  bool gone() const { return written_ != Written::Yes; }

  // As much as there are lines left; counts them.
  static std::string_view whole_lines(std::string_view text, std::uint64_t& left) {
    if (left == UINT64_MAX) return text;
    std::size_t end = 0;
    while (left > 0 && end < text.size()) {
      const std::size_t newline = text.find('\n', end);
      if (newline == std::string_view::npos) return text;
      end = newline + 1;
      --left;
    }
    return text.substr(0, end);
  }

  void pass_on(std::string_view bytes) {
    if (screen_.terminal) {
      pass_on_as_is(safe_.pass(bytes));
    } else {
      pass_on_as_is(bytes);
    }
  }

  void pass_on_as_is(std::string_view bytes) {
    written_ = out_.write(bytes);
    if (written_ == Written::Failed) error_ = errno;
  }

  const CatOptions& options_;
  FileWork& work_;
  Output out_;
  Screen screen_;
  TerminalText safe_;
  Written written_ = Written::Yes;
  int error_ = 0;
};

int print_as_json(const CatOptions& options, FileWork& work) {
  const auto reply = work.files().read({.path = options.paths.front(),
                                        .offset = options.offset,
                                        .max_bytes = options.bytes.value_or(kPiece),
                                        .first_line = options.first_line,
                                        .lines = options.lines,
                                        .tail = options.tail});
  if (!reply) return work.fail(reply.error(), true, options.paths.front());
  const Json json = ops::to_json(*reply, {.base64 = reply->binary});
  return print_json_then(json);
}

}  // namespace

int cat_command(const CatOptions& options, const Doors& doors) {
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return fail_before(work.error(), options.json);
  if (options.json) return print_as_json(options, **work);
  Cat cat(options, **work);
  int status = kExitSuccess;
  for (const std::string& path : options.paths) {
    if (const auto printed = cat.print_file(path); !printed) {
      status = (*work)->fail(printed.error(), false, path);
    }
    if ((*work)->interrupts().first_signal() != 0) break;
  }
  const int end = cat.finish();
  return end == kExitSuccess ? status : end;
}

}  // namespace yonder::cli
