#include "outpost/handover.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace yonder::outpost {
namespace {

// Room for one descriptor.
union Ancillary {
  cmsghdr header;
  std::array<char, CMSG_SPACE(sizeof(int))> bytes;
};

msghdr with_descriptor(iovec& text, Ancillary& ancillary) {
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes.data();
  message.msg_controllen = ancillary.bytes.size();
  return message;
}

Fd received_descriptor(msghdr& message) {
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return {};
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  return Fd(fd);
}

}  // namespace

std::optional<Channel> make_channel() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return std::nullopt;
  }
  return Channel{Fd(ends[0]), Fd(ends[1])};
}

std::string encode_handover(const RunRecord& record, const wire::StartRequest& spec) {
  return record.directory() + '\0' + wire::encode(spec);
}

bool hand_over(const Fd& channel, const std::string& message, const Fd& lock) {
  iovec text{const_cast<char*>(message.data()), message.size()};  // sendmsg only reads it
  Ancillary ancillary{};
  msghdr header = with_descriptor(text, ancillary);
  cmsghdr* descriptor = CMSG_FIRSTHDR(&header);
  descriptor->cmsg_level = SOL_SOCKET;
  descriptor->cmsg_type = SCM_RIGHTS;
  descriptor->cmsg_len = CMSG_LEN(sizeof(int));
  const int fd = lock.get();
  std::memcpy(CMSG_DATA(descriptor), &fd, sizeof fd);
  return ::sendmsg(channel.get(), &header, MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
}

bool offer_lock(const Fd& channel, const Fd& lock) {
  return hand_over(channel, "ready", lock);
}

Fd accept_lock(const Fd& channel) {
  std::array<char, 16> buffer{};
  iovec text{buffer.data(), buffer.size()};
  Ancillary ancillary{};
  msghdr header = with_descriptor(text, ancillary);
  if (::recvmsg(channel.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) <= 0) return {};
  return received_descriptor(header);
}

std::optional<TakenOver> take_over(const Fd& channel) {
  std::array<char, kMaxHandover> buffer;  // not cleared: that would touch all of it
  iovec text{buffer.data(), buffer.size()};
  Ancillary ancillary{};
  msghdr header = with_descriptor(text, ancillary);
  ssize_t n = 0;
  do {
    n = ::recvmsg(channel.get(), &header, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return std::nullopt;
  Fd lock = received_descriptor(header);
  const std::string_view message(buffer.data(), static_cast<std::size_t>(n));
  const std::size_t end = message.find('\0');
  const bool cut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  if (cut || !lock || end == std::string_view::npos) return std::nullopt;
  auto spec = wire::decode_spec(message.substr(end + 1));
  if (!spec) return std::nullopt;
  return TakenOver{RunRecord(std::string(message.substr(0, end))), *std::move(spec),
                   std::move(lock)};
}

}  // namespace yonder::outpost
