#include "lab/sshd.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "base/text.h"
#include "lab/command.h"
#include "lab/ssh_client.h"

namespace yonder::lab {
namespace {

constexpr const char* kSshd = "/usr/sbin/sshd";
constexpr const char* kCodeSecret = "00112233445566778899";

std::string login_lines(Login login) {
  if (login == Login::KeyOrPassword) {
    return "UsePAM no\nPasswordAuthentication yes\nKbdInteractiveAuthentication no\n";
  }
  return "UsePAM yes\nPasswordAuthentication no\nKbdInteractiveAuthentication yes\n"
         "AuthenticationMethods keyboard-interactive\n";
}

// sshd takes the first value that it reads for a keyword, so the caller's lines come first.
std::string config_text(const SshdOptions& options, const std::string& directory,
                        std::uint16_t port) {
  const auto match = std::find_if(options.config.begin(), options.config.end(),
                                  [](const auto& line) { return line.starts_with("Match"); });
  return concat(
      join({options.config.begin(), match}, "\n"), "\n",       //
      "ListenAddress 127.0.0.1\nPort ", port, "\n",            //
      "HostKey ", directory, "/host_key\nPidFile none\n",      //
      "AuthorizedKeysFile ", directory, "/authorized_keys\n",  //
      "StrictModes no\n",  // the path leads through /tmp, where everybody may write
      "KexAlgorithms curve25519-sha256\n",  // half the time of the default for a login
      login_lines(options.login),
      "PermitRootLogin yes\nMaxStartups 100:30:200\nUseDNS no\nPrintMotd no\nPrintLastLog no\n"
      "AcceptEnv LANG LC_*\nSubsystem sftp internal-sftp\nLogLevel VERBOSE\n",
      join({match, options.config.end()}, "\n"), "\n");
}

std::string pam_text(Login login, const std::string& directory) {
  std::string text = "auth required pam_unix.so\n";
  if (login == Login::PasswordAndCode) {
    text += concat("auth required pam_oath.so digits=6 window=20 usersfile=", directory,
                   "/codes/users\n");
  }
  return text + "account required pam_unix.so\nsession required pam_permit.so\n";
}

// PAM looks for the service named like the program, so a link with a name of its own gives this
// server rules of its own, in the lab's /etc. Returns the program to start.
Result<std::string> prepare_pam(Login login, const std::string& directory) {
  if (login == Login::KeyOrPassword) return std::string(kSshd);
  const std::string service = "sshd-" + std::filesystem::path(directory).filename().native();
  std::string program = concat(directory, "/", service);
  std::error_code error;
  std::filesystem::create_symlink(kSshd, program, error);
  if (error) return Error{Errc::Internal, "symlink " + program, ""};
  TRY(write_file_atomically("/etc/pam.d/" + service, pam_text(login, directory),
                            Durability::Process));
  if (login == Login::PasswordAndCode) {
    TRY(make_directory(directory + "/codes"));  // pam_oath writes a new file beside the old one
    TRY(write_file_atomically(directory + "/codes/users",
                              concat("HOTP alice - ", kCodeSecret, "\n"), Durability::Process));
  }
  return program;
}

// What the server and its sessions see otherwise than the client; nothing where that is all the
// same.
std::function<Result<void>()> mounts_of(Lab& lab, const SshdOptions& options) {
  if (options.hide_programs.empty() && lab.has_several_users()) return {};
  return [&lab, hidden = options.hide_programs]() -> Result<void> {
    TRY(lab.look_like_a_server());
    if (hidden.empty()) return {};
    TRY_ASSIGN(const std::string layers, lab.new_layer_directory("hidden"));
    return hide_programs(hidden, layers);
  };
}

}  // namespace

bool one_time_codes_available() {
  static const bool available =
      path_exists("/usr/bin/oathtool") &&
      run_command({"sh", "-c", "ls /lib/*/security/pam_oath.so /lib/security/pam_oath.so | grep ."})
          .has_value();
  return available;
}

Result<Sshd> Sshd::start(Lab& lab, const SshdOptions& options) {
  if (options.login != Login::KeyOrPassword) need(Need::Pam);
  TRY_ASSIGN(const std::string directory, lab.new_directory("sshd"));
  TRY_ASSIGN(FreePort port, FreePort::reserve());
  TRY_ASSIGN(const SshKey host_key, SshKey::generate(directory + "/host_key"));
  TRY_ASSIGN(const std::string program, prepare_pam(options.login, directory));
  const std::string config = directory + "/sshd_config";
  TRY(write_file_atomically(config, config_text(options, directory, port.number()),
                            Durability::Process));
  const std::string log = directory + "/log";
  Plan plan{.daemon = {.argv = {program, "-D", "-f", config, "-E", log},
                       .log = log,
                       .private_mounts = mounts_of(lab, options)},
            .ready = "Server listening on",
            .session_program = "sshd"};
  Sshd sshd(std::move(port), std::move(plan), host_key.public_key, directory);
  TRY(sshd.authorize(""));
  TRY(sshd.start_again());
  return sshd;
}

Result<void> Sshd::authorize(const std::string& public_key) {
  const std::string path = directory_ + "/authorized_keys";
  TRY_ASSIGN(const Fd file, open_file(path, O_WRONLY | O_APPEND | O_CREAT));
  // sshd reads it as the user who logs in.
  if (::fchmod(file.get(), 0644) != 0) return errno_error("chmod " + path);
  return write_all(file, concat(trim(public_key), "\n"));
}

Result<std::string> Sshd::next_code() {
  TRY_ASSIGN(const std::string code,
             run_command({"oathtool", "--hotp", "--digits=6", concat("--counter=", codes_used_++),
                          kCodeSecret}));
  return std::string(trim(code));
}

}  // namespace yonder::lab
