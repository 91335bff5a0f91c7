#include "outpost/logged_in.h"

#include <signal.h>
#include <utmpx.h>

#include <cerrno>
#include <cstring>

#include "base/clean_text.h"
#include "base/file.h"
#include "base/text.h"

namespace yonder::outpost {
namespace {

using Users = resources::Measured<std::vector<resources::LoggedIn>>;

constexpr std::uint64_t kMaxFile = 4UL * 1024 * 1024;
constexpr std::size_t kMostUsers = 1000;

// Fields need not end with a NUL.
template <std::size_t kSize>
std::string field(const char (&bytes)[kSize]) {
  return printable({bytes, ::strnlen(bytes, kSize)});
}

bool process_lives(pid_t pid) {
  return pid <= 0 || ::kill(pid, 0) == 0 || errno != ESRCH;
}

}  // namespace

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

Users logged_in_users(const std::vector<std::string>& files) {
  for (const auto& file : files) {
    if (!path_exists(file)) continue;
    const auto bytes = read_file(file, kMaxFile);
    if (!bytes) return Users::missing(printable(bytes.error().message));
    return Users::of(parse_utmp(*bytes, process_lives));
  }
  return Users::missing("this machine keeps no list of who is logged in: there is no " +
                        join(files, " or "));
}

Users logged_in_users() {
  return logged_in_users({"/run/utmp", "/var/run/utmp"});
}

}  // namespace yonder::outpost
