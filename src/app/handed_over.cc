#include "app/handed_over.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/child_environment.h"
#include "base/fd.h"
#include "base/file.h"

namespace yonder::app {
namespace {

// More than the kernel takes for a whole environment.
constexpr std::size_t kMostBytes = 8UL << 20;

Result<Secret> read_to_end(const Fd& from) {
  std::string all;
  std::array<char, 16384> buffer{};
  while (true) {
    TRY_ASSIGN(const std::size_t n, read_some(from, buffer.data(), buffer.size()));
    if (n == 0) return Secret(std::move(all));
    all.append(buffer.data(), n);
    if (all.size() > kMostBytes) return Error{Errc::Protocol, "too much was handed over", ""};
  }
}

}  // namespace

Result<std::vector<std::string>> take_secrets_from_stdin() {
  struct stat info {};
  if (::fstat(STDIN_FILENO, &info) != 0 || !S_ISFIFO(info.st_mode)) {
    return std::vector<std::string>();
  }
  TRY_ASSIGN(const Fd pipe, duplicate(STDIN_FILENO));
  TRY_ASSIGN(const Fd null, open_file("/dev/null", O_RDONLY));
  if (::dup2(null.get(), STDIN_FILENO) < 0) return errno_error("dup2");
  TRY_ASSIGN(const Secret packed, read_to_end(pipe));
  return unpack_secrets(packed.reveal());
}

}  // namespace yonder::app
