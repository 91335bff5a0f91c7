#include "lab/loopback.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

#include "base/text.h"

namespace yonder::lab {
namespace {

constexpr int kBacklog = 128;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Result<Fd> tcp_socket(int flags) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0));
  if (!socket) return errno_error("socket");
  const int yes = 1;
  // Tests measure round trips, so small writes must not wait for anything.
  if (::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes) != 0) {
    return errno_error("TCP_NODELAY");
  }
  return socket;
}

Result<Fd> bound_socket(std::uint16_t port) {
  TRY_ASSIGN(Fd socket, tcp_socket(0));
  const int yes = 1;
  if (::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) != 0) {
    return errno_error("SO_REUSEADDR");
  }
  const sockaddr_in address = loopback(port);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return errno_error(concat("bind 127.0.0.1:", port));
  }
  return socket;
}

Result<Fd> connected(Fd socket, std::uint16_t port) {
  const sockaddr_in address = loopback(port);
  const int status =
      ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  if (status != 0 && errno != EINPROGRESS) {
    Error error = errno_error(concat("connect 127.0.0.1:", port));
    error.code = Errc::Unreachable;
    return error;
  }
  return socket;
}

}  // namespace

Result<std::uint16_t> port_of(const Fd& socket) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return errno_error("getsockname");
  }
  return ntohs(address.sin_port);
}

Result<Fd> listen_on_loopback(std::uint16_t port) {
  TRY_ASSIGN(Fd socket, bound_socket(port));
  if (::listen(socket.get(), kBacklog) != 0) return errno_error("listen");
  return socket;
}

Result<Fd> connect_to_loopback(std::uint16_t port) {
  TRY_ASSIGN(Fd socket, tcp_socket(0));
  return connected(std::move(socket), port);
}

Result<Fd> begin_connect_to_loopback(std::uint16_t port) {
  TRY_ASSIGN(Fd socket, tcp_socket(SOCK_NONBLOCK));
  return connected(std::move(socket), port);
}

Result<FreePort> FreePort::reserve() {
  TRY_ASSIGN(Fd socket, bound_socket(0));
  TRY_ASSIGN(const std::uint16_t number, port_of(socket));
  return FreePort(std::move(socket), number);
}

}  // namespace yonder::lab
