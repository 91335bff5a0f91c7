#pragma once

#include <cstdint>

#include "base/fd.h"
#include "base/result.h"

namespace yonder::lab {

// TCP sockets of the lab. They only ever touch 127.0.0.1, and all of them are close-on-exec.

// A listening socket; port 0 lets the kernel choose.
Result<Fd> listen_on_loopback(std::uint16_t port);
// Waits for the connection to be made: on loopback that is immediate or an error.
Result<Fd> connect_to_loopback(std::uint16_t port);
// Non-blocking: the connection is made, or has failed, when the socket becomes ready.
Result<Fd> begin_connect_to_loopback(std::uint16_t port);
Result<std::uint16_t> port_of(const Fd& socket);

// Keeps a port for somebody who will listen there, possibly several times: other programs that ask
// the kernel for any port do not get it, and until the owner listens connections are refused. The
// owner must set SO_REUSEADDR, as sshd and dropbear do.
class FreePort {
 public:
  static Result<FreePort> reserve();
  std::uint16_t number() const { return number_; }

 private:
  FreePort(Fd socket, std::uint16_t number) : socket_(std::move(socket)), number_(number) {}
  Fd socket_;
  std::uint16_t number_;
};

}  // namespace yonder::lab
