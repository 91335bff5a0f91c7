#include "link/askpass_socket.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file.h"
#include "base/text.h"

namespace yonder::link {
namespace {

constexpr int kBacklog = 64;

Result<sockaddr_un> address_of(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  constexpr std::size_t kLimit = sizeof address.sun_path - 1;
  if (path.size() > kLimit) {
    return Error{Errc::Config,
                 concat("the socket path ", path, " has ", path.size(),
                        " bytes; the system allows ", kLimit),
                 "choose a shorter runtime directory (XDG_RUNTIME_DIR or TMPDIR)"};
  }
  std::memcpy(static_cast<char*>(address.sun_path), path.data(), path.size());
  return address;
}

Result<void> prepare(const Fd& fd) {
#ifndef __linux__
  // Linux sets the first with the socket, and has MSG_NOSIGNAL for the second.
  ::fcntl(fd.get(), F_SETFD, FD_CLOEXEC);
  const int on = 1;
  ::setsockopt(fd.get(), SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
  return set_nonblocking(fd);
}

Result<Fd> make_socket(int type) {
#ifdef __linux__
  Fd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
#else
  Fd fd(::socket(AF_UNIX, type, 0));
#endif
  if (!fd) return errno_error("socket");
  return fd;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

Error late(std::string_view what) {
  return {Errc::Timeout, concat("askpass: the other side took too long to ", what), ""};
}

// Nothing to do yet: waits until the socket is ready for `events`.
Result<void> wait_for(const Fd& connection, short events, const Deadline& deadline,
                      std::string_view what) {
  pollfd waiting{connection.get(), events, 0};
  if (::poll(&waiting, 1, deadline.poll_timeout()) == 0) return late(what);
  return {};
}

bool try_again(int error) {
  return error == EAGAIN || error == EWOULDBLOCK || error == EINTR;
}

}  // namespace

Result<void> make_private_directory(const std::string& path) {
  TRY(make_directories(path));
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) return errno_error(path);
  const auto refuse = [&](std::string_view why) {
    return Error{Errc::Config, concat(path, " cannot hold a private socket: ", why),
                 "remove it, or choose another runtime directory"};
  };
  if (!S_ISDIR(info.st_mode)) return refuse("it is not a directory itself");
  if (info.st_uid != ::geteuid()) return refuse("it belongs to another user");
  if ((info.st_mode & 0777U) != 0700U) return refuse("its mode is not 0700");
  return {};
}

Result<Fd> listen_at(const std::string& path) {
  // bind() makes the file before the socket can be found behind it.
  const std::string unfinished = path + "~";
  TRY_ASSIGN(const sockaddr_un address, address_of(unfinished));
  TRY_ASSIGN(Fd fd, make_socket(SOCK_STREAM));
  TRY(prepare(fd));
  if (::bind(fd.get(), generic(address), sizeof address) != 0) return errno_error("bind " + path);
  if (::listen(fd.get(), kBacklog) != 0 || ::rename(unfinished.c_str(), path.c_str()) != 0) {
    auto error = errno_error("listen " + path);
    ::unlink(unfinished.c_str());
    return error;
  }
  return fd;
}

bool is_bound_by_nobody(const std::string& path) {
  const auto address = address_of(path);
  auto probe = make_socket(SOCK_DGRAM);
  if (!address || !probe || !prepare(*probe)) return false;
  // A stream that is there answers with EPROTOTYPE, before anybody behind it hears of us.
  return ::connect(probe->get(), generic(*address), sizeof *address) != 0 && errno == ECONNREFUSED;
}

Result<Fd> accept_from(const Fd& listener) {
#ifdef __linux__
  Fd fd(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
#else
  Fd fd(::accept(listener.get(), nullptr, nullptr));
#endif
  if (!fd) return errno_error("accept");
  TRY(prepare(fd));
  return fd;
}

Result<Fd> connect_to(const std::string& path) {
  TRY_ASSIGN(const sockaddr_un address, address_of(path));
  TRY_ASSIGN(Fd fd, make_socket(SOCK_STREAM));
  // Blocking: a full queue is waited for.
  while (::connect(fd.get(), generic(address), sizeof address) != 0) {
    if (errno != EINTR) return errno_error("connect " + path);
  }
  TRY(prepare(fd));
  return fd;
}

Result<Peer> peer_of(const Fd& connection) {
#ifdef __linux__
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (::getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) {
    return errno_error("SO_PEERCRED");
  }
  return Peer{.uid = credentials.uid, .pid = credentials.pid};
#else
  Peer peer;
  gid_t group = 0;
  if (::getpeereid(connection.get(), &peer.uid, &group) != 0) return errno_error("getpeereid");
  return peer;
#endif
}

Result<void> send_all(const Fd& connection, std::string_view bytes, const Deadline& deadline) {
#ifdef MSG_NOSIGNAL
  constexpr int kFlags = MSG_NOSIGNAL;
#else
  constexpr int kFlags = 0;
#endif
  while (!bytes.empty()) {
    const ssize_t n = ::send(connection.get(), bytes.data(), bytes.size(), kFlags);
    if (n >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (!try_again(errno)) {
      return errno_error("send");
    } else {
      TRY(wait_for(connection, POLLOUT, deadline, "read"));
    }
  }
  return {};
}

Result<std::string> receive_up_to(const Fd& connection, std::size_t size,
                                  const Deadline& deadline) {
  std::string bytes;
  bytes.reserve(size);  // a secret is not left behind in a smaller buffer
  std::array<char, 1024> piece{};
  while (bytes.size() < size) {
    if (deadline.expired()) return late("write");
    const std::size_t wanted = std::min(piece.size(), size - bytes.size());
    const ssize_t n = ::recv(connection.get(), piece.data(), wanted, 0);
    if (n == 0) break;
    if (n > 0) {
      bytes.append(piece.data(), static_cast<std::size_t>(n));
    } else if (!try_again(errno)) {
      return errno_error("receive");
    } else {
      TRY(wait_for(connection, POLLIN, deadline, "write"));
    }
  }
  return bytes;
}

bool wait_for_hang_up(const Fd& connection, const Deadline& deadline) {
  pollfd waiting{connection.get(), 0, 0};
  while (!deadline.expired()) {
    if (::poll(&waiting, 1, deadline.poll_timeout()) > 0) return true;
  }
  return false;
}

}  // namespace yonder::link
