#include "lab/accounts.h"

#include <crypt.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <functional>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/text.h"

namespace yonder::lab {
namespace {

constexpr uid_t kFirstUid = 7001;
constexpr uid_t kRanges = 500;  // ends below 65534, which some containers have as their last user

std::set<uid_t> uids_of_the_machine() {
  std::set<uid_t> uids;
  const auto passwd = read_file("/etc/passwd", kEtcFileLimit);
  if (!passwd) return uids;
  for (const auto& line : split(*passwd, '\n')) {
    const auto fields = split(line, ':');
    if (fields.size() > 2) uids.insert(static_cast<uid_t>(std::strtoul(fields[2].c_str(), {}, 10)));
  }
  return uids;
}

// An abstract socket name: taken atomically, and free again when its last holder is gone.
Fd lock_range(uid_t first) {
  Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = concat("yonder-lab-uids-", first);
  std::memcpy(address.sun_path + 1, name.data(), name.size());
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0) return Fd();
  return socket;
}

Result<void> append_line(const std::string& path, const std::string& line) {
  TRY_ASSIGN(const Fd file, open_file(path, O_WRONLY | O_APPEND));
  return write_all(file, line + "\n");
}

// Changes the fields of the line that begins with `name`.
Result<void> change_line(const std::string& path, const std::string& name,
                         const std::function<void(std::vector<std::string>&)>& change) {
  TRY_ASSIGN(const std::string old, read_file(path, kEtcFileLimit));
  std::string text;
  for (const auto& line : split(trim(old), '\n')) {
    auto fields = split(line, ':');
    if (fields[0] == name && fields.size() > 6) change(fields);
    text += join(fields, ":") + "\n";
  }
  TRY_ASSIGN(const Fd file, open_file(path, O_WRONLY | O_TRUNC));
  return write_all(file, text);
}

Result<void> add_shell(const std::string& shell) {
  const auto shells = read_file("/etc/shells", kEtcFileLimit);
  if (!shells) return {};
  for (const auto& line : split(*shells, '\n')) {
    if (line == shell) return {};
  }
  return append_line("/etc/shells", shell);  // dropbear lets nobody in whose shell is not listed
}

Result<std::string> hash_of(const std::string& password) {
  const auto scratch = std::make_unique<crypt_data>();
  // The fewest rounds that crypt allows: these passwords are public, and every test pays for them.
  const char* hash = ::crypt_r(password.c_str(), "$6$rounds=1000$yonderlab$", scratch.get());
  if (hash == nullptr || hash[0] == '*') return Error{Errc::Internal, "crypt failed", ""};
  return std::string(hash);
}

}  // namespace

Result<UidRange> claim_uids() {
  const auto taken = uids_of_the_machine();
  for (uid_t range = 0; range < kRanges; ++range) {
    const uid_t first = kFirstUid + range * UidRange::kSize;
    const auto next = taken.lower_bound(first);
    if (next != taken.end() && *next < first + UidRange::kSize) continue;
    if (Fd lock = lock_range(first)) return UidRange{.first = first, .lock = std::move(lock)};
  }
  return Error{Errc::Conflict, "no user ids are free for another lab", ""};
}

std::string passwd_line(const Account& account) {
  return concat(account.name, ":x:", account.uid, ":", account.uid, "::", account.home, ":",
                account.shell, "\n");
}

Result<void> add_account(const Account& account) {
  TRY_ASSIGN(const std::string hash, hash_of(account.password));
  TRY(append_line("/etc/passwd", std::string(trim(passwd_line(account)))));
  TRY(append_line("/etc/group", concat(account.name, ":x:", account.uid, ":")));
  TRY(append_line("/etc/shadow", concat(account.name, ":", hash, ":19700:0:99999:7:::")));
  TRY(add_shell(account.shell));
  TRY(make_directory(account.home));
  if (::chown(account.home.c_str(), account.uid, account.uid) != 0) {
    return errno_error("chown " + account.home);
  }
  return {};
}

Result<void> set_password(const std::string& name, const std::string& password) {
  TRY_ASSIGN(const std::string hash, hash_of(password));
  return change_line("/etc/shadow", name, [&](auto& fields) { fields[1] = hash; });
}

Result<void> own_account_files() {
  for (const char* path : {"/etc/passwd", "/etc/group", "/etc/shadow", "/etc/shells"}) {
    const auto old = read_file(path, kEtcFileLimit);
    std::string text;
    for (const auto& line : split(old ? trim(*old) : "", '\n')) {
      if (!line.empty() && !line.starts_with("tty:")) text += line + "\n";
    }
    // sshd lets in no user whom it misses there.
    if (!old && std::string_view(path) == "/etc/shadow") text = "root:*:19700:0:99999:7:::\n";
    TRY(write_file_atomically(path, text, Durability::Process));
    if (::chmod(path, 0644) != 0) return errno_error(concat("chmod ", path));
  }
  return {};
}

Result<void> move_root(const std::string& home, uid_t uid) {
  return change_line("/etc/passwd", "root", [&](auto& fields) {
    fields[2] = fields[3] = std::to_string(uid);
    fields[5] = home;
  });
}

}  // namespace yonder::lab
