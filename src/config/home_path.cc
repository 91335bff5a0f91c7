#include "config/home_path.h"

#include "base/text.h"

namespace yonder::config {

std::string expand_home(std::string_view path, const std::string& home) {
  if (home.empty()) return std::string(path);
  if (path == "~") return home;
  if (path.starts_with("~/")) return concat(home, path.substr(1));
  return std::string(path);
}

std::string show_path(const std::string& path, const std::string& home) {
  if (home.empty() || home == "/" || !path.starts_with(home)) return path;
  const std::string rest = path.substr(home.size());
  return rest.starts_with('/') ? "~" + rest : path;
}

}  // namespace yonder::config
