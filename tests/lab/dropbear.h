#pragma once

#include <string>

#include "lab/lab.h"
#include "lab/ssh_server.h"

namespace yonder::lab {

// The other common SSH server, found on routers and small boards.
class Dropbear : public SshServer {
 public:
  static Result<Dropbear> start(Lab& lab);

  // Dropbear only reads ~/.ssh/authorized_keys, so the key is put there: it opens no other user.
  Result<void> authorize(const Account& user, const std::string& public_key);

 private:
  using SshServer::SshServer;
};

}  // namespace yonder::lab
