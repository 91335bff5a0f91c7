#include "lab/proxy_connection.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>

namespace yonder::lab {

void Flow::push(Item item) {
  item.due = std::max(item.due, last_due_);  // a shorter delay must not change the order
  last_due_ = item.due;
  queued_ += item.bytes.size();
  queue_.push_back(std::move(item));
}

void Flow::push_data(Instant due, std::string_view bytes) {
  push({.due = due, .kind = Kind::Data, .bytes = std::string(bytes)});
}

void Flow::push_end(Instant due, Kind kind) {
  push({.due = due, .kind = kind});
}

std::string_view Flow::next_bytes() const {
  return std::string_view(queue_.front().bytes).substr(offset_);
}

void Flow::pop_bytes(std::size_t count) {
  offset_ += count;
  queued_ -= count;
  passed += count;
  if (offset_ < queue_.front().bytes.size()) return;
  queue_.pop_front();
  offset_ = 0;
}

void Flow::pop_end() {
  queue_.pop_front();
}

void reset_socket(Fd& socket) {
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  if (socket) ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket.reset();
}

bool all_arrived(const Fd& socket) {
  int waiting = 0;
  return !socket || ::ioctl(socket.get(), SIOCOUTQ, &waiting) != 0 || waiting == 0;
}

}  // namespace yonder::lab
