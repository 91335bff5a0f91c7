#include "outpost/handover.h"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

namespace yonder::outpost {
namespace {

constexpr std::size_t kMostDescriptors = 2;

union Ancillary {
  cmsghdr header;
  std::array<char, CMSG_SPACE(kMostDescriptors * sizeof(int))> bytes;
};

msghdr with_descriptors(iovec& text, Ancillary& ancillary) {
  msghdr message{};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = ancillary.bytes.data();
  message.msg_controllen = ancillary.bytes.size();
  return message;
}

std::array<Fd, kMostDescriptors> received_descriptors(msghdr& message) {
  std::array<Fd, kMostDescriptors> received;
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return received;
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < std::min(count, received.size()); ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof fd, sizeof fd);
    received[i] = Fd(fd);
  }
  return received;
}

bool send_with(const Fd& channel, const std::string& message, const std::vector<int>& fds) {
  iovec text{const_cast<char*>(message.data()), message.size()};  // sendmsg only reads it
  Ancillary ancillary{};
  msghdr header = with_descriptors(text, ancillary);
  const std::size_t bytes = fds.size() * sizeof(int);
  header.msg_controllen = CMSG_SPACE(bytes);
  cmsghdr* descriptors = CMSG_FIRSTHDR(&header);
  descriptors->cmsg_level = SOL_SOCKET;
  descriptors->cmsg_type = SCM_RIGHTS;
  descriptors->cmsg_len = CMSG_LEN(bytes);
  std::memcpy(CMSG_DATA(descriptors), fds.data(), bytes);
  return ::sendmsg(channel.get(), &header, MSG_NOSIGNAL) == static_cast<ssize_t>(message.size());
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

bool hand_over(const Fd& channel, const std::string& message, const Fd& lock,
               const HeldRecord& held) {
  return send_with(channel, message, {lock.get(), held.fd()});
}

bool offer_lock(const Fd& channel, const Fd& lock) {
  return send_with(channel, "ready", {lock.get()});
}

Fd accept_lock(const Fd& channel) {
  std::array<char, 16> buffer{};
  iovec text{buffer.data(), buffer.size()};
  Ancillary ancillary{};
  msghdr header = with_descriptors(text, ancillary);
  if (::recvmsg(channel.get(), &header, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) <= 0) return {};
  return std::move(received_descriptors(header).front());
}

std::optional<TakenOver> take_over(const Fd& channel) {
  std::array<char, kMaxHandover> buffer;  // not cleared: that would touch all of it
  iovec text{buffer.data(), buffer.size()};
  Ancillary ancillary{};
  msghdr header = with_descriptors(text, ancillary);
  ssize_t n = 0;
  do {
    n = ::recvmsg(channel.get(), &header, MSG_CMSG_CLOEXEC);
  } while (n < 0 && errno == EINTR);
  if (n <= 0) return std::nullopt;
  auto [lock, directory] = received_descriptors(header);
  const std::string_view message(buffer.data(), static_cast<std::size_t>(n));
  const std::size_t end = message.find('\0');
  const bool cut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  if (cut || !lock || !directory || end == std::string_view::npos) return std::nullopt;
  auto spec = wire::decode_spec(message.substr(end + 1));
  if (!spec) return std::nullopt;
  HeldRecord held(RunRecord(std::string(message.substr(0, end))), std::move(directory));
  return TakenOver{std::move(held), *std::move(spec), std::move(lock)};
}

}  // namespace yonder::outpost
