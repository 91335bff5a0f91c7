#pragma once

#include <string>
#include <vector>

#include "lab/lab.h"
#include "lab/ssh_server.h"

namespace yonder::lab {

// How users prove who they are.
enum class Login {
  KeyOrPassword,        // authorized keys, or the method "password"
  KeyboardInteractive,  // only a password question, asked by PAM
  PasswordAndCode,      // only PAM: the password, then a one-time code; see next_code()
};

struct SshdOptions {
  Login login = Login::KeyOrPassword;
  // Lines of sshd_config. They win over the lab's own; "Match" and what follows comes last.
  std::vector<std::string> config;
  // Names or patterns of programs that do not exist for this server and its sessions, such as
  // "bash" or "python3*". Users whose shell is hidden cannot log in.
  std::vector<std::string> hide_programs;
};

// A real OpenSSH server. Its authorized keys hold for all users.
class Sshd : public SshServer {
 public:
  static Result<Sshd> start(Lab& lab, const SshdOptions& options = {});

  // `public_key` is a line as in id_ed25519.pub; options such as command="..." may precede it.
  Result<void> authorize(const std::string& public_key);
  // The one-time code that alice must give next (Login::PasswordAndCode knows only her).
  Result<std::string> next_code();

 private:
  Sshd(FreePort port, Plan plan, std::string host_key, std::string directory)
      : SshServer(std::move(port), std::move(plan), std::move(host_key)),
        directory_(std::move(directory)) {}
  std::string directory_;
  int codes_used_ = 0;
};

// Whether this machine can ask for one-time codes (libpam-oath and oathtool).
bool one_time_codes_available();

}  // namespace yonder::lab
