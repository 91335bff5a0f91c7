#include "lab/command.h"

#include "base/quote.h"
#include "base/text.h"
#include "lab/wait.h"

namespace yonder::lab {
namespace {

constexpr std::size_t kOutputLimit = 64 << 20;

}  // namespace

std::vector<std::string> plain_environment() {
  return {"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"};
}

Result<Captured> capture(const std::vector<std::string>& argv,
                         const std::vector<std::string>& environment, std::string_view input) {
  return run_captured({.argv = argv, .environment = environment}, input, kOutputLimit, soon());
}

Result<std::string> run_command(const std::vector<std::string>& argv) {
  TRY_ASSIGN(Captured done, capture(argv, plain_environment()));
  if (done.status.success()) return std::move(done.out);
  return Error{Errc::Internal, concat(shell_line(argv), ": ", trim(done.err)), ""};
}

}  // namespace yonder::lab
