#include "lab/proxy_engine.h"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "lab/loopback.h"

namespace yonder::lab {
namespace {

constexpr std::size_t kReadSize = 64UL * 1024;
// What a socket may hold: fixed, so that tests do not depend on the kernel's tuning.
constexpr int kSocketBuffer = 256 * 1024;
// What may be under way per connection and direction. With a delay it bounds the throughput:
// 16 MiB in 25 ms are over 600 MB/s, more than ssh can do.
constexpr std::size_t kQueuePlain = 256UL * 1024;
constexpr std::size_t kQueueDelayed = 16UL * 1024 * 1024;
constexpr std::size_t kQueueSlow = 64UL * 1024;
// How long before the wire is free the next bytes are read. With a rate it keeps the buffer before
// the wire short.
constexpr Duration kReadAhead = std::chrono::milliseconds(5);
constexpr Duration kArrivalCheck = std::chrono::milliseconds(1);

void prepare(const Fd& socket) {
  for (const int option : {SO_RCVBUF, SO_SNDBUF}) {
    ::setsockopt(socket.get(), SOL_SOCKET, option, &kSocketBuffer, sizeof kSocketBuffer);
  }
}

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

std::size_t queue_limit(Duration delay, std::uint64_t rate) {
  if (rate != 0) {
    return kQueueSlow + static_cast<std::size_t>(static_cast<double>(rate) * to_seconds(delay));
  }
  return delay > Duration::zero() ? kQueueDelayed : kQueuePlain;
}

// Small pieces on a slow wire, so that its connections take turns.
std::size_t read_size(std::uint64_t rate) {
  if (rate == 0) return kReadSize;
  return std::clamp<std::size_t>(static_cast<std::size_t>(rate / 200), 512, kReadSize);
}

}  // namespace

Result<ProxyEngine> ProxyEngine::listen(std::uint16_t port, std::uint16_t target_port) {
  TRY_ASSIGN(Fd listener, listen_on_loopback(port));
  TRY(set_nonblocking(listener));
  return ProxyEngine(std::move(listener), target_port);
}

void ProxyEngine::step(Instant now) {
  accept_waiting(now);
  apply_rules();
  for (auto& connection : connections_) {
    if (connection.cut) {
      finish_cut(connection);
      continue;
    }
    if (stalled_) continue;
    connect_if_due(connection, now);
    for (const Direction direction : kDirections) {
      if (connection.cut || connection.dead) break;
      if (may_read(connection, direction, now)) read_from_source(connection, direction, now);
      deliver(connection, direction, now);
    }
  }
  std::erase_if(connections_, [](const ProxyConnection& c) { return c.finished(); });
  drain_closing();
}

void ProxyEngine::accept_waiting(Instant now) {
  while (!refusing_) {
    Fd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!client) return;
    prepare(client);
    ++stats_.connections;
    ProxyConnection& connection = connections_.emplace_back();
    connection.client = std::move(client);
    // The kernel has shaken hands with the client at once. Over a real wire that takes a round
    // trip, and the target sees the connection when the client's third packet arrives.
    connection.connect_at = now + 2 * link(Direction::Up).delay + link(Direction::Down).delay;
  }
}

void ProxyEngine::connect_if_due(ProxyConnection& connection, Instant now) {
  if (connection.target || now < connection.connect_at) return;
  auto target = begin_connect_to_loopback(target_port_);
  if (!target) {
    reset_socket(connection.client);
    connection.dead = true;
    return;
  }
  connection.target = *std::move(target);
  prepare(connection.target);
}

bool ProxyEngine::may_read(const ProxyConnection& connection, Direction direction,
                           Instant now) const {
  const bool up = direction == Direction::Up;
  const Flow& flow = up ? connection.up : connection.down;
  if (!flow.source_open || !(up ? connection.client : connection.target)) return false;
  if (flow.discarding) return true;
  const Wire& wire = link(direction);
  if (wire.rate != 0 && wire.free_at > now + kReadAhead) return false;
  return flow.queued() < queue_limit(wire.delay, wire.rate);
}

// The bytes follow those that are on the wire already, take their time on it, and then travel.
Instant ProxyEngine::arrival(Direction direction, std::size_t bytes, Instant now) {
  Wire& wire = link(direction);
  if (wire.rate == 0) return now + wire.delay;
  const std::chrono::duration<double> time_on_wire(static_cast<double>(bytes) /
                                                   static_cast<double>(wire.rate));
  wire.free_at = std::max(wire.free_at, now) + std::chrono::duration_cast<Duration>(time_on_wire);
  return wire.free_at + wire.delay;
}

void ProxyEngine::read_from_source(ProxyConnection& connection, Direction direction, Instant now) {
  std::array<char, kReadSize> buffer;
  Flow& flow = connection.flow(direction);
  const ssize_t n = ::recv(connection.source(direction).get(), buffer.data(),
                           read_size(link(direction).rate), MSG_DONTWAIT);
  if (n < 0 && would_block()) return;
  if (n > 0) {
    const auto size = static_cast<std::size_t>(n);
    if (flow.discarding) return;
    flow.push_data(std::max(arrival(direction, size, now), connection.connect_at),
                   {buffer.data(), size});
    return;
  }
  flow.source_open = false;
  if (n == 0 && flow.discarding) return;
  flow.push_end(std::max(arrival(direction, 0, now), connection.connect_at),
                n == 0 ? Flow::Kind::Fin : Flow::Kind::Reset);
}

void ProxyEngine::deliver(ProxyConnection& connection, Direction direction, Instant now) {
  Flow& flow = connection.flow(direction);
  flow.blocked = false;
  while (!flow.empty() && flow.next_due() <= now && connection.target) {
    if (flow.next_kind() == Flow::Kind::Data) {
      if (!deliver_bytes(connection, direction, now)) return;
      continue;
    }
    if (flow.next_kind() == Flow::Kind::Reset) {
      reset_socket(connection.client);
      reset_socket(connection.target);
      connection.dead = true;
      return;
    }
    flow.pop_end();
    flow.fin_passed = true;
    ::shutdown(connection.sink(direction).get(), SHUT_WR);
  }
}

// Whether more may be delivered at once.
bool ProxyEngine::deliver_bytes(ProxyConnection& connection, Direction direction, Instant now) {
  Flow& flow = connection.flow(direction);
  const auto bytes = flow.next_bytes().substr(0, allowance(connection, direction));
  const ssize_t n = ::send(connection.sink(direction).get(), bytes.data(), bytes.size(),
                           MSG_DONTWAIT | MSG_NOSIGNAL);
  if (n < 0 && would_block()) {
    flow.blocked = true;
    return false;
  }
  if (n < 0) {
    // The receiver is gone. Its side of the news takes its time to reach the sender.
    const Direction back = opposite(direction);
    connection.flow(back).source_open = false;
    connection.flow(back).push_end(arrival(back, 0, now), Flow::Kind::Reset);
    flow = Flow();
    flow.discarding = true;
    return false;
  }
  const auto count = static_cast<std::size_t>(n);
  flow.pop_bytes(count);
  passed_bytes(direction) += count;
  for (auto& active : rules_) {
    if (active.rule.direction == direction) active.passed += count;
  }
  apply_rules();
  return !connection.cut;
}

// How many bytes may pass until a rule strikes; never 0, because rules strike as soon as they can.
std::size_t ProxyEngine::allowance(const ProxyConnection& connection, Direction direction) const {
  std::uint64_t allowed = std::numeric_limits<std::size_t>::max();
  const Flow& flow = direction == Direction::Up ? connection.up : connection.down;
  for (const auto& active : rules_) {
    if (active.rule.direction != direction) continue;
    const std::uint64_t passed = active.rule.since == Since::Call ? active.passed : flow.passed;
    allowed = std::min(allowed, active.rule.bytes - passed);
  }
  return allowed;
}

void ProxyEngine::apply_rules() {
  std::erase_if(rules_, [&](ActiveRule& active) {
    while (active.rule.times > 0 && fire(active)) --active.rule.times;
    return active.rule.times <= 0;
  });
}

// Decides what the rule cuts now; false when it cuts nothing.
bool ProxyEngine::fire(ActiveRule& active) {
  const CutRule& rule = active.rule;
  const auto strike = [&](ProxyConnection& connection) {
    connection.cut = rule.with;
    connection.cut_after = rule.direction;
  };
  if (rule.since == Since::Connection) {
    for (auto& connection : connections_) {
      if (connection.cut || connection.dead) continue;
      if (connection.flow(rule.direction).passed < rule.bytes) continue;
      strike(connection);
      return true;
    }
    return false;
  }
  if (active.passed < rule.bytes) return false;
  bool any = false;
  for (auto& connection : connections_) {
    if (connection.cut || connection.dead) continue;
    strike(connection);
    any = true;
  }
  if (any) active.passed = 0;
  return any;
}

// A reset makes the kernel forget what it has not sent yet, so exactly the right number of bytes
// only arrives when the cut waits for them.
void ProxyEngine::finish_cut(ProxyConnection& connection) {
  if (all_arrived(connection.sink(connection.cut_after))) sever(connection, *connection.cut);
}

void ProxyEngine::sever(ProxyConnection& connection, CutWith with) {
  for (Fd* socket : {&connection.client, &connection.target}) {
    if (!*socket) continue;
    if (with == CutWith::Reset) {
      reset_socket(*socket);
    } else {
      ::shutdown(socket->get(), SHUT_WR);
      closing_.push_back(std::move(*socket));
    }
  }
  connection.dead = true;
  ++stats_.cuts;
}

void ProxyEngine::drain_closing() {
  std::erase_if(closing_, [](const Fd& socket) {
    std::array<char, kReadSize> buffer;
    const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return n == 0 || (n < 0 && !would_block());
  });
}

std::vector<pollfd> ProxyEngine::wanted(Instant now) const {
  std::vector<pollfd> fds;
  if (!refusing_) fds.push_back({listener_.get(), POLLIN, 0});
  for (const auto& socket : closing_) fds.push_back({socket.get(), POLLIN, 0});
  if (stalled_) return fds;
  for (const auto& connection : connections_) {
    if (connection.cut) continue;
    const auto want = [&](const Fd& socket, Direction from, const Flow& to) {
      const int events =
          (may_read(connection, from, now) ? POLLIN : 0) | (to.blocked ? POLLOUT : 0);
      // Without a wish it must stay out: poll reports a hang-up even to those who ask for nothing.
      if (socket && events != 0) fds.push_back({socket.get(), static_cast<short>(events), 0});
    };
    want(connection.client, Direction::Up, connection.down);
    want(connection.target, Direction::Down, connection.up);
  }
  return fds;
}

Instant ProxyEngine::next_wake(Instant now) const {
  Instant wake = Instant::max();
  for (const auto& connection : connections_) {
    if (connection.cut) wake = std::min(wake, now + kArrivalCheck);
    if (connection.cut || stalled_) continue;
    if (!connection.target) wake = std::min(wake, connection.connect_at);
    for (const Flow* flow : {&connection.up, &connection.down}) {
      if (connection.target && !flow->empty() && !flow->blocked) {
        wake = std::min(wake, flow->next_due());
      }
    }
  }
  if (stalled_) return wake;
  for (const Wire& wire : wires_) {
    if (wire.free_at > now + kReadAhead) wake = std::min(wake, wire.free_at - kReadAhead);
  }
  return wake;
}

void ProxyEngine::set_rate(std::uint64_t bytes_per_second) {
  for (Wire& wire : wires_) {
    wire.rate = bytes_per_second;
    wire.free_at = Instant::min();
  }
}

void ProxyEngine::cut(CutWith with) {
  for (auto& connection : connections_) {
    if (!connection.dead) sever(connection, with);
  }
  std::erase_if(connections_, [](const ProxyConnection& c) { return c.dead; });
}

void ProxyEngine::cut_after(const CutRule& rule, Instant now) {
  rules_.push_back({.rule = rule});
  step(now);  // a rule that is fulfilled already strikes at once
}

void ProxyEngine::half_close(Direction direction, Instant now) {
  for (auto& connection : connections_) {
    Flow& flow = connection.flow(direction);
    if (flow.discarding || !flow.source_open) continue;
    flow.discarding = true;
    flow.push_end(std::max(arrival(direction, 0, now), connection.connect_at), Flow::Kind::Fin);
  }
}

// A listening socket that is shut down keeps its port and refuses every connection, including those
// that nobody has accepted yet; listen() makes it a listener again.
void ProxyEngine::refuse() {
  if (!refusing_) ::shutdown(listener_.get(), SHUT_RD);
  refusing_ = true;
}

void ProxyEngine::accept() {
  if (refusing_) ::listen(listener_.get(), SOMAXCONN);
  refusing_ = false;
}

ProxyStats ProxyEngine::stats() const {
  ProxyStats stats = stats_;
  stats.open = connections_.size();
  for (const auto& connection : connections_) {
    stats.under_way += connection.up.queued() + connection.down.queued();
  }
  return stats;
}

}  // namespace yonder::lab
