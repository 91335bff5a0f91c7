#include "app/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include <climits>
#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "base/file.h"
#include "base/text.h"
#include "link/askpass_socket.h"

namespace yonder::app {
Result<std::string> runtime_directory(const std::map<std::string, std::string>& environment) {
  const auto found = environment.find("XDG_RUNTIME_DIR");
  struct stat info {};
  const bool usable = found != environment.end() && found->second.starts_with('/') &&
                      ::stat(found->second.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                      ::access(found->second.c_str(), W_OK) == 0;
  const std::string path =
      usable ? found->second + "/yonder" : concat("/tmp/yonder-run-", ::geteuid());
  auto made = link::make_private_directory(path);
  if (made) return path;
  // Below /tmp anybody may have been there first; at home nobody else can.
  const auto home = environment.find("HOME");
  if (home == environment.end() || !home->second.starts_with('/')) return std::move(made).error();
  const std::string at_home = home->second + "/.cache/yonder/run";
  TRY(link::make_private_directory(at_home));
  return at_home;
}

std::string state_directory(const std::map<std::string, std::string>& environment) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() || !found->second.starts_with('/') ? "" : found->second;
  };
  std::string base = value("XDG_STATE_HOME");
  if (base.empty()) base = value("HOME") + "/.local/state";
  std::string path = base + "/yonder";
  // Whoever uses it finds out when this has failed, and can say what for it was needed.
  if (make_directories(base)) [[maybe_unused]]
    const bool made = link::make_private_directory(path).has_value();
  return path;
}

Result<std::string> own_program() {
#ifdef __APPLE__
  std::array<char, PATH_MAX> path{};
  auto size = static_cast<std::uint32_t>(path.size());
  if (::_NSGetExecutablePath(path.data(), &size) != 0) {
    return Error{Errc::Internal, "the path of this program is too long", ""};
  }
  return std::string(path.data());
#else
  std::array<char, PATH_MAX> path{};
  const ssize_t n = ::readlink("/proc/self/exe", path.data(), path.size());
  if (n <= 0) return errno_error("/proc/self/exe");
  return std::string(path.data(), static_cast<std::size_t>(n));
#endif
}

}  // namespace yonder::app
