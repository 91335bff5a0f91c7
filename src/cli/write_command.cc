#include <fcntl.h>
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

constexpr std::size_t kMostContent = 6UL * 1024 * 1024;

Result<std::string> read_all(int fd, const std::string& what) {
  std::string content;
  std::array<char, 65536> buffer{};
  while (true) {
    const ssize_t n = ::read(fd, buffer.data(), buffer.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno_error("read " + what);
    if (n == 0) return content;
    content.append(buffer.data(), static_cast<std::size_t>(n));
    if (content.size() > kMostContent) {
      return Error{Errc::InvalidArgument,
                   concat(what, " is larger than ", human_bytes(kMostContent)),
                   "sync it, or pipe it: yonder exec NAME -- 'cat > FILE' < FILE"};
    }
  }
}

Result<std::string> content_for(const WriteOptions& options) {
  if (options.from.empty()) return read_all(STDIN_FILENO, "stdin");
  const Fd file(::open(options.from.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return errno_error("open " + printable(options.from));
  return read_all(file.get(), printable(options.from));
}

}  // namespace

int write_command(const WriteOptions& options, const Doors& doors) {
  auto content = content_for(options);
  if (!content) return fail_before(content.error(), options.json);
  const auto work = FileWork::begin(doors, options.sandbox);
  if (!work) return fail_before(work.error(), options.json);
  const auto written = (*work)->files().write({.path = options.path,
                                               .content = *std::move(content),
                                               .mode = options.mode,
                                               .create_parents = options.parents,
                                               .append = options.append,
                                               .expected_hash = options.expected_hash});
  if (!written) return (*work)->fail(written.error(), options.json, options.path);
  if (options.json) return print_json_then(ops::to_json(*written));
  for (const auto& warning : written->warnings) say(warning);
  if (!written->linked.empty()) {
    say(concat(safe_name(written->linked), " is a link: wrote ", safe_name(written->path)));
  }
  return kExitSuccess;
}

}  // namespace yonder::cli
