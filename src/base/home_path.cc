#include "base/home_path.h"

#include "base/clean_text.h"
#include "base/text.h"

namespace yonder {
namespace {

Error without_home(std::string_view path) {
  return {Errc::InvalidArgument,
          concat("'", printable(path), "' is ",
                 path.starts_with('~') ? "below the home directory" : "relative",
                 ", and HOME is not set there"),
          "give an absolute path"};
}

}  // namespace

Result<std::string> expand_tilde(std::string_view path, const std::string& home) {
  if (!path.starts_with('~')) return std::string(path);
  if (path.size() > 1 && path[1] != '/') {
    return Error{Errc::InvalidArgument,
                 concat("'", printable(path), "': homes of other users are not looked up"),
                 "give an absolute path, or ./~name for a file of that name"};
  }
  if (home.empty()) return without_home(path);
  return concat(home == "/" && path.size() > 1 ? "" : home, path.substr(1));
}

Result<std::string> path_from_home(std::string_view path, const std::string& base,
                                   const std::string& home) {
  if (path.starts_with('/') || path.starts_with('~')) return expand_tilde(path, home);
  const std::string& start = base.empty() ? home : base;
  if (start.empty()) return without_home(path);
  return concat(start == "/" ? "" : start, "/", path);
}

}  // namespace yonder
