#include "base/user_name.h"

#include <algorithm>
#include <cstdint>

#include "base/clean_text.h"
#include "base/file.h"

namespace yonder {
namespace {

constexpr std::uint64_t kPasswdLimit = 16UL * 1024 * 1024;
constexpr std::size_t kMaxName = 64;

}  // namespace

std::string name_in_passwd(std::string_view passwd, uid_t uid) {
  const std::string wanted = std::to_string(uid);
  while (!passwd.empty()) {
    const std::string_view line = passwd.substr(0, passwd.find('\n'));
    passwd.remove_prefix(std::min(passwd.size(), line.size() + 1));
    const std::size_t name = line.find(':');
    if (name == std::string_view::npos || name == 0) continue;
    const std::size_t password = line.find(':', name + 1);
    if (password == std::string_view::npos) continue;
    const std::string_view rest = line.substr(password + 1);
    if (rest.substr(0, rest.find(':')) != wanted) continue;
    return printable(line.substr(0, std::min(name, kMaxName)));
  }
  return "";
}

std::string user_name(uid_t uid) {
  const auto passwd = read_file("/etc/passwd", kPasswdLimit);
  std::string name = name_in_passwd(passwd ? *passwd : "", uid);
  return name.empty() ? std::to_string(uid) : name;
}

}  // namespace yonder
