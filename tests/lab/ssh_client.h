#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/subprocess.h"
#include "lab/lab.h"

namespace yonder::lab {

struct SshKey {
  // The private key is written to `path`, the public one beside it.
  static Result<SshKey> generate(const std::string& path, const std::string& passphrase = {});

  std::string path;
  std::string public_key;  // one line, without its end
};

// One Host block of ~/.ssh/config.
struct SshHost {
  std::string alias;
  std::uint16_t port = 0;  // of a server, or of a proxy before it, on 127.0.0.1
  std::string user;
  std::string identity_file = {};  // empty: only an agent has keys
  // With a host key the client knows the server already and insists on it. Without, it accepts what
  // it meets first, in a known_hosts file of this alias.
  std::string host_key = {};
  std::vector<std::string> extra = {};  // further lines; they win over the lab's own
};
// Makes this the client's whole ~/.ssh/config.
Result<void> write_ssh_config(const Lab& lab, const std::vector<SshHost>& hosts);
// The known_hosts file that the block of `alias` names.
std::string known_hosts_path(const Lab& lab, const std::string& alias);

// A program for SSH_ASKPASS. It answers a question with the first answer whose key is part of the
// question, and fails where none is. The questions asked are kept, one per line.
class Askpass {
 public:
  using Answers = std::vector<std::pair<std::string, std::string>>;
  static Result<Askpass> create(Lab& lab, const Answers& answers);

  // Makes ssh and ssh-add ask this program and nobody else.
  std::vector<std::string> environment() const;
  const std::string& program() const { return program_; }
  std::vector<std::string> questions() const;

 private:
  explicit Askpass(std::string program) : program_(std::move(program)) {}
  std::string program_;
};

// The real client, as root of the lab: run_ssh(lab, {"box", "echo ok"}).
Result<Captured> run_ssh(const Lab& lab, const std::vector<std::string>& arguments,
                         const std::vector<std::string>& more_environment = {});

}  // namespace yonder::lab
