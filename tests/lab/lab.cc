#include "lab/lab.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/file.h"
#include "base/id.h"
#include "base/text.h"
#include "lab/command.h"

namespace yonder::lab {
namespace {

struct Entered {
  std::unique_ptr<Lab> lab;
  std::string reason = "Lab::enter() was not called";
  pid_t owner = 0;
  ~Entered() {
    // A forked child that ends by exit() must not tear down its parent's lab.
    if (::getpid() != owner) static_cast<void>(lab.release());
  }
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

void forget_the_developers_session(const std::string& home) {
  for (const char* name :
       {"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "SSH_CONNECTION",
        "SSH_CLIENT", "SSH_TTY", "DISPLAY", "WAYLAND_DISPLAY", "XDG_CONFIG_HOME", "XDG_STATE_HOME",
        "XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR", "TMUX"}) {
    ::unsetenv(name);
  }
  ::setenv("HOME", home.c_str(), 1);
}

}  // namespace

Lab::Lab(std::string directory, UidRange uids, Keeper keeper)
    : directory_(std::move(directory)),
      client_home_(directory_ + "/client-home"),
      uids_(std::move(uids)),
      keeper_(std::move(keeper)) {}

Result<Lab*> Lab::create() {
  if (::geteuid() != 0) return Error{Errc::Unsupported, "the lab needs root", ""};
  remove_stale_labs();
  TRY_ASSIGN(UidRange uids, claim_uids());
  // Before the keeper starts: what it does not hold, no daemon will hold either.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  const std::string directory =
      concat(lab_parent(), "/", kLabPrefix, ::getpid(), "-", random_letters(8));
  TRY(make_open_directory(directory));
  auto keeper = Keeper::start(directory, uids);
  if (!keeper) {
    ::rmdir(directory.c_str());
    return std::move(keeper).error();
  }
  auto lab = std::unique_ptr<Lab>(new Lab(directory, std::move(uids), *std::move(keeper)));
  TRY(enter_private_mounts());
  TRY(lab->furnish());
  return lab.release();
}

Result<void> Lab::furnish() {
  for (const char* name : {"/layers", "/home", "/bin"}) TRY(make_open_directory(directory_ + name));
  TRY(make_directories(client_home_ + "/.ssh"));
  const std::string layers = directory_ + "/layers";
  TRY_ASSIGN(Mount layers_mount, mount_tmpfs(layers, "mode=755"));
  std::move(layers_mount).keep();
  TRY(make_open_directory(layers + "/etc"));
  TRY(overlay("/etc", layers + "/etc"));
  TRY(provide_run_sshd());
  TRY(move_root_home(client_home_));
  forget_the_developers_session(client_home_);
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
  return make_noisy(noisy);
}

void Lab::enter() {
  Entered& state = entered();
  if (state.lab) return;
  state.owner = ::getpid();
  auto lab = create();
  if (lab) {
    state.lab.reset(*lab);
  } else {
    state.reason = lab.error().message;
  }
}

bool Lab::available() {
  return entered().lab != nullptr;
}

const std::string& Lab::reason() {
  return entered().reason;
}

Lab& Lab::get() {
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
  const auto number = static_cast<uid_t>(users_.size());
  if (number >= UidRange::kSize) return Error{Errc::Conflict, "the lab has too many users", ""};
  const Account account{.name = name,
                        .uid = uids_.first + number,
                        .home = concat(directory_, "/home/", name),
                        .shell = shell,
                        .password = name + "-pw"};
  TRY(add_account(account));
  users_.emplace(name, account);
  return account;
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
