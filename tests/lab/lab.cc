#include "lab/lab.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "lab/command.h"
#include "lab/guard.h"
#include "lab/session.h"

namespace yonder::lab {
namespace {

struct Entered {
  std::unique_ptr<Lab> lab;
  std::string reason = "Lab::enter() was not called";
  bool refused = false;  // by the machine; otherwise something is wrong
};

Entered& entered() {
  static Entered state;
  return state;
}

Result<void> make_open_directory(const std::string& path) {
  TRY(make_directory(path));
  if (::chmod(path.c_str(), 0755) != 0) return errno_error("chmod " + path);
  return {};
}

// Runs for every bash that sshd starts, interactive or not, and never ends its line.
constexpr std::string_view kNoise =
    "printf 'noise on stdout\\nand a last line without end'\n"
    "printf 'noise on stderr without end' >&2\n";

Result<void> make_noisy(const Account& user) {
  for (const char* name : {"/.bashrc", "/.profile", "/.bash_logout"}) {
    const std::string path = user.home + name;
    TRY(write_file_atomically(path, kNoise, Durability::Process));
    if (::chown(path.c_str(), user.uid, user.uid) != 0) return errno_error("chown " + path);
  }
  return {};
}

}  // namespace

Lab::Lab(Way way, const Site& site)
    : way_(way),
      directory_(site.directory),
      client_home_(directory_ + "/client-home"),
      first_uid_(site.uids.first) {}

Result<Lab*> Lab::create(Way way, const Site& site) {
  auto lab = std::unique_ptr<Lab>(new Lab(way, site));
  TRY(enter_private_mounts());
  TRY(lab->furnish());
  return lab.release();
}

Result<void> Lab::furnish() {
  if (!has_several_users()) TRY(hide_shared_places(directory_));
  for (const char* name : {"/layers", "/home", "/bin"}) TRY(make_open_directory(directory_ + name));
  TRY(make_directories(client_home_ + "/.ssh"));
  const std::string layers = directory_ + "/layers";
  TRY_ASSIGN(Mount layers_mount, mount_tmpfs(layers, "mode=755"));
  std::move(layers_mount).keep();
  TRY(make_open_directory(layers + "/etc"));
  TRY(overlay("/etc", layers + "/etc"));
  TRY(has_several_users() ? provide_run_sshd() : replace_run());
  if (!has_several_users()) TRY(own_account_files());
  TRY(move_root(client_home_, has_several_users() ? 0 : kOnlyUid));
  ::setenv("HOME", client_home_.c_str(), 1);
  return add_users();
}

Result<void> Lab::add_users() {
  // busybox looks at the name it is called by; /bin/sh would be hidden or be another shell.
  const std::string busybox_shell = directory_ + "/bin/ash";
  TRY(run_command({"cp", "/bin/busybox", busybox_shell}));
  TRY(add_user("alice", "/bin/bash"));
  TRY(add_user("bob", "/bin/sh"));
  TRY(add_user("zoe", "/usr/bin/zsh"));
  TRY(add_user("finn", "/usr/bin/fish"));
  TRY(add_user("tess", "/usr/bin/tcsh"));
  TRY(add_user("nobash", busybox_shell));
  TRY_ASSIGN(const Account noisy, add_user("noisy", "/bin/bash"));
  std::reverse(names_.begin(), names_.end());  // alice is the usual one
  TRY(tell_servers());
  return make_noisy(noisy);
}

void Lab::enter() {
  Entered& state = entered();
  if (state.lab) return;
  forget_the_session();
  // What the keeper does not hold, no daemon will hold either.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  remove_stale_sites();
  const auto chosen = choose_way();
  const Way way = chosen ? *chosen : Way::None;
  const auto site = !chosen            ? chosen.error()
                    : way == Way::None ? Error{Errc::Unsupported, "no namespaces may be made", ""}
                                       : make_site(way != Way::OneUser);
  Result<void> joined;
  guard_this_process({.before =
                          [&] {
                            if (site) joined = enter_user_namespace(way);
                          },
                      .after =
                          [&] {
                            if (site) remove_site(*site);
                          }});
  auto lab = !site ? site.error() : !joined ? joined.error() : create(way, *site);
  if (lab) {
    state.lab.reset(*lab);
    return;
  }
  state.reason = lab.error().message;
  state.refused = chosen && way == Way::None;
  std::cerr << "no lab: " << state.reason << std::endl;
}

bool Lab::available() {
  return entered().lab != nullptr;
}

const std::string& Lab::reason() {
  return entered().reason;
}

bool Lab::refused() {
  return entered().refused;
}

Lab& Lab::get() {
  need(Need::Namespaces);
  if (!available()) throw std::runtime_error("the lab could not be made: " + reason());
  return *entered().lab;
}

std::vector<std::string> Lab::environment() const {
  auto environment = plain_environment();
  environment.push_back("HOME=" + client_home_);
  environment.emplace_back("USER=root");
  environment.emplace_back("LOGNAME=root");
  return environment;
}

Result<Account> Lab::add_user(const std::string& name, const std::string& shell) {
  const auto number = has_several_users() ? static_cast<uid_t>(users_.size()) : 0;
  if (number >= UidRange::kSize) return Error{Errc::Conflict, "the lab has too many users", ""};
  const Account account{.name = name,
                        .uid = first_uid_ + number,
                        .home = concat(directory_, "/home/", name),
                        .shell = shell,
                        .password = name + "-pw"};
  TRY(add_account(account));
  users_.emplace(name, account);
  names_.insert(names_.begin(), name);
  TRY(tell_servers());
  return account;
}

void Lab::change_password(const std::string& name, const std::string& password) {
  const auto changed = set_password(name, password);
  if (!changed) throw std::runtime_error(changed.error().message);
}

// In place, because servers have the file mounted.
Result<void> Lab::tell_servers() const {
  if (has_several_users()) return {};
  std::string text;
  for (const auto& name : names_) text += passwd_line(users_.at(name));
  TRY_ASSIGN(const std::string others, read_file("/etc/passwd", kEtcFileLimit));
  TRY_ASSIGN(const Fd file, open_file(directory_ + "/passwd", O_WRONLY | O_CREAT | O_TRUNC));
  if (::fchmod(file.get(), 0644) != 0) return errno_error("chmod");
  return write_all(file, text + others);
}

Result<void> Lab::look_like_a_server() const {
  if (has_several_users()) return {};
  return bind_over(directory_ + "/passwd", "/etc/passwd");
}

Result<std::string> Lab::new_directory(const std::string& purpose) {
  std::string path = concat(directory_, "/", purpose, "-", next_directory_++);
  TRY(make_open_directory(path));
  return path;
}

Result<std::string> Lab::new_layer_directory(const std::string& purpose) {
  std::string path = concat(directory_, "/layers/", purpose, "-", next_directory_++);
  TRY(make_open_directory(path));
  return path;
}

Result<Mount> Lab::mount_home(const std::string& name, const std::string& options) {
  const Account& account = user(name);
  return mount_tmpfs(account.home,
                     concat("uid=", account.uid, ",gid=", account.uid, ",mode=700,", options));
}

}  // namespace yonder::lab
