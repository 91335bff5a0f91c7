#pragma once

#include <poll.h>

#include <array>
#include <cstdint>
#include <list>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"
#include "lab/proxy_connection.h"
#include "lab/proxy_types.h"

namespace yonder::lab {

// The proxy without its thread: a passive object that does what can be done now. Nothing in it
// blocks.
//
//   while (...) { wait(engine.wanted(), engine.next_wake(now)); engine.step(now()); }
class ProxyEngine {
 public:
  // `port` must not be 0: a listening socket that refuses can only keep a port it was bound to by
  // number.
  static Result<ProxyEngine> listen(std::uint16_t port, std::uint16_t target_port);

  void step(Instant now);
  // What to poll for, and when to step at the latest (Instant::max(): no need).
  std::vector<pollfd> wanted(Instant now) const;
  Instant next_wake(Instant now) const;

  void set_delay(Direction direction, Duration one_way) { link(direction).delay = one_way; }
  void set_rate(std::uint64_t bytes_per_second);
  void cut(CutWith with);
  void cut_after(const CutRule& rule, Instant now);
  void stall() { stalled_ = true; }
  void resume() { stalled_ = false; }
  void half_close(Direction direction, Instant now);
  void refuse();
  void accept();
  ProxyStats stats() const;

 private:
  // One direction of the wire that all connections share.
  struct Wire {
    Duration delay{0};
    std::uint64_t rate = 0;  // bytes per second; 0 is no limit
    Instant free_at = Instant::min();
  };
  struct ActiveRule {
    CutRule rule;
    std::uint64_t passed = 0;
  };

  ProxyEngine(Fd listener, std::uint16_t target_port)
      : listener_(std::move(listener)), target_port_(target_port) {}
  Wire& link(Direction direction) { return wires_[static_cast<std::size_t>(direction)]; }
  const Wire& link(Direction direction) const {
    return wires_[static_cast<std::size_t>(direction)];
  }
  std::uint64_t& passed_bytes(Direction direction) {
    return direction == Direction::Up ? stats_.up_bytes : stats_.down_bytes;
  }

  void accept_waiting(Instant now);
  void connect_if_due(ProxyConnection& connection, Instant now);
  bool may_read(const ProxyConnection& connection, Direction direction, Instant now) const;
  Instant arrival(Direction direction, std::size_t bytes, Instant now);
  void read_from_source(ProxyConnection& connection, Direction direction, Instant now);
  void deliver(ProxyConnection& connection, Direction direction, Instant now);
  bool deliver_bytes(ProxyConnection& connection, Direction direction, Instant now);
  std::size_t allowance(const ProxyConnection& connection, Direction direction) const;
  void apply_rules();
  bool fire(ActiveRule& active);
  void finish_cut(ProxyConnection& connection);
  void sever(ProxyConnection& connection, CutWith with);
  void drain_closing();

  Fd listener_;
  std::uint16_t target_port_;
  bool stalled_ = false;
  bool refusing_ = false;
  std::array<Wire, 2> wires_;
  std::list<ProxyConnection> connections_;
  std::vector<ActiveRule> rules_;
  std::vector<Fd> closing_;  // said their last word; read until the peer ends, else it sees a reset
  ProxyStats stats_;
};

}  // namespace yonder::lab
