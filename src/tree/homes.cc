#include "tree/homes.h"

#include <charconv>
#include <cstdint>
#include <system_error>

#include "base/file.h"
#include "base/text.h"

namespace yonder::tree {
namespace {

constexpr std::size_t kLongestPasswd = 4UL * 1024 * 1024;
constexpr std::size_t kHome = 5;  // name:password:uid:gid:comment:home:shell
// Below are accounts of services, whose homes are often what people work on: /var/www.
constexpr std::uint32_t kFirstPerson = 1000;
constexpr std::uint32_t kNobody = 65534;

}  // namespace

std::vector<std::string> homes_in(std::string_view passwd) {
  std::vector<std::string> homes;
  for (const auto& line : split(passwd, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() <= kHome || !fields[kHome].starts_with('/')) continue;
    std::uint32_t uid = 0;
    const std::string& text = fields[2];
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), uid);
    if (wrong != std::errc() || end != text.data() + text.size()) continue;
    if (uid == 0 || (uid >= kFirstPerson && uid != kNobody)) homes.push_back(fields[kHome]);
  }
  return homes;
}

std::vector<std::string> homes_of_people() {
  const auto passwd = read_file("/etc/passwd", kLongestPasswd);
  return passwd ? homes_in(*passwd) : std::vector<std::string>();
}

}  // namespace yonder::tree
