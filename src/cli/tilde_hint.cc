#include "cli/tilde_hint.h"

#include "base/clean_text.h"
#include "base/text.h"
#include "ops/resolve.h"

namespace yonder::cli {

std::string tilde_hint(const std::string& path, const std::string& home) {
  if (home.size() < 2 || !path.starts_with(home)) return "";
  const std::string rest = path.substr(home.size());
  if (!rest.empty() && rest.front() != '/') return "";
  return concat(
      "'", printable(home),
      "' is the home directory of this machine: the shell here expands an unquoted ~; for "
      "the one over there write NAME:~",
      printable(rest), ", or '~", printable(rest), "' in quotes");
}

Error with_tilde_hint(Error error, const std::string& path, const std::string& home) {
  // A directory that a command cannot start in is a wrong argument.
  const bool fits = error.code == Errc::NotFound || error.code == Errc::Denied ||
                    error.code == Errc::InvalidArgument;
  const std::string hint = fits ? tilde_hint(path, home) : "";
  if (!hint.empty()) error.hint = error.hint.empty() ? hint : concat(error.hint, "; ", hint);
  return error;
}

bool is_elsewhere(ops::Engine& engine, const std::string& sandbox) {
  ops::Session session;
  const auto spec = ops::resolve_sandbox(engine, session, sandbox);
  return spec && spec->backend != Backend::Local;
}

Error with_tilde_hint(Error error, const std::string& path, ops::Engine& engine,
                      const std::string& sandbox) {
  if (tilde_hint(path, engine.home).empty() || !is_elsewhere(engine, sandbox)) return error;
  return with_tilde_hint(std::move(error), path, engine.home);
}

}  // namespace yonder::cli
