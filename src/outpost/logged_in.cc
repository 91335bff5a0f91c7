#include "outpost/logged_in.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <utmpx.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"
#include "outpost/numbers.h"

namespace yonder::outpost {
namespace {

using Users = resources::Measured<std::vector<resources::LoggedIn>>;

constexpr std::uint64_t kMaxFile = 4UL * 1024 * 1024;
constexpr std::uint64_t kMaxSession = 64UL * 1024;
constexpr std::size_t kMostUsers = 1000;

// Fields need not end with a NUL.
template <std::size_t kSize>
std::string field(const char (&bytes)[kSize]) {
  return printable({bytes, ::strnlen(bytes, kSize)});
}

bool process_lives(pid_t pid) {
  return pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH;
}

// Beside a session lies a pipe, "3.ref", that must not be opened.
bool is_session(const std::string& name, const std::string& path) {
  struct stat info {};
  return name.find('.') == std::string::npos && ::stat(path.c_str(), &info) == 0 &&
         S_ISREG(info.st_mode);
}

Users users_in_sessions(const std::string& directory) {
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(::opendir(directory.c_str()), ::closedir);
  if (!listing) return Users::missing(printable(errno_error(directory).message));
  std::vector<resources::LoggedIn> users;
  while (const dirent* entry = ::readdir(listing.get())) {
    const std::string path = concat(directory, "/", entry->d_name);
    if (users.size() == kMostUsers || !is_session(entry->d_name, path)) continue;
    const auto text = read_file(path, kMaxSession);
    if (!text) return Users::missing(printable(text.error().message));
    if (auto user = parse_session(*text)) users.push_back(*std::move(user));
  }
  std::sort(users.begin(), users.end(),
            [](const auto& a, const auto& b) { return a.since_ms < b.since_ms; });
  return Users::of(std::move(users));
}

}  // namespace

std::optional<resources::LoggedIn> parse_session(std::string_view text) {
  std::map<std::string, std::string> fields;
  for (const auto& line : split(text, '\n')) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) fields[line.substr(0, equals)] = line.substr(equals + 1);
  }
  if (fields["CLASS"] != "user" || fields["STATE"] == "closing" || fields["USER"].empty()) {
    return std::nullopt;
  }
  const auto since_us = whole_number(fields["REALTIME"]);
  return resources::LoggedIn{.user = printable(fields["USER"]),
                             .terminal = printable(fields["TTY"]),
                             .from = printable(fields["REMOTE_HOST"]),
                             .since_ms = static_cast<std::int64_t>(since_us.value_or(0) / 1000)};
}

std::vector<resources::LoggedIn> parse_utmp(std::string_view bytes, bool (*lives)(pid_t pid)) {
  std::vector<resources::LoggedIn> users;
  for (; bytes.size() >= sizeof(utmpx); bytes.remove_prefix(sizeof(utmpx))) {
    utmpx record{};
    std::memcpy(&record, bytes.data(), sizeof record);
    if (record.ut_type != USER_PROCESS || record.ut_user[0] == '\0' || !lives(record.ut_pid)) {
      continue;
    }
    const auto seconds = static_cast<std::uint32_t>(record.ut_tv.tv_sec);  // good until 2106
    users.push_back({.user = field(record.ut_user),
                     .terminal = field(record.ut_line),
                     .from = field(record.ut_host),
                     .since_ms = static_cast<std::int64_t>(seconds) * 1000});
    if (users.size() == kMostUsers) break;
  }
  return users;
}

Users logged_in_users(const std::vector<std::string>& files, const std::string& sessions) {
  for (const auto& file : files) {
    if (!path_exists(file)) continue;
    const auto bytes = read_file(file, kMaxFile);
    if (!bytes) return Users::missing(printable(bytes.error().message));
    return Users::of(parse_utmp(*bytes, process_lives));
  }
  if (path_exists(sessions)) return users_in_sessions(sessions);
  return Users::missing("this machine keeps no list of who is logged in: there is no " +
                        join(files, " or "));
}

Users logged_in_users() {
  return logged_in_users({"/run/utmp", "/var/run/utmp"}, "/run/systemd/sessions");
}

}  // namespace yonder::outpost
