#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/fd.h"
#include "base/guarded.h"
#include "base/result.h"
#include "base/thread.h"
#include "lab/loopback.h"
#include "lab/proxy_engine.h"
#include "lab/proxy_types.h"

namespace yonder::lab {

struct FaultProxyOptions {
  std::uint16_t listen = 0;  // 0: any free port
  std::uint16_t to = 0;
  Duration delay{0};       // one way: 25 ms make a round trip of 50 ms
  std::uint64_t rate = 0;  // bytes per second each way, shared by all connections; 0: no limit
};

// A TCP proxy on 127.0.0.1 that behaves like a bad network, on command and in the same way each
// time. Every command has taken effect when it returns.
//
//   auto proxy = FaultProxy::start({.to = sshd.port(), .delay = 25ms});
//   (*proxy)->cut_after({.bytes = 5000, .direction = Direction::Down});
//
// Thread: any.
class FaultProxy {
 public:
  static Result<std::unique_ptr<FaultProxy>> start(const FaultProxyOptions& options);
  FaultProxy(const FaultProxy&) = delete;
  FaultProxy& operator=(const FaultProxy&) = delete;
  ~FaultProxy();

  std::uint16_t port() const { return port_; }

  void set_delay(Duration one_way);
  void set_delay(Direction direction, Duration one_way);
  void set_rate(std::uint64_t bytes_per_second);

  // Ends all present connections; what is under way is lost.
  void cut(CutWith with = CutWith::Reset);
  // Ends connections when exactly so many bytes have arrived.
  void cut_after(const CutRule& rule);
  // A dead link: connections stay, and new ones are still accepted, but nothing passes, not even an
  // end. Nothing is lost when it resumes.
  void stall();
  void resume();
  // Present connections end in this direction: the receiver sees the end of the stream, and what
  // the sender still says is lost without its notice.
  void half_close(Direction direction);
  // New connections are refused, present ones go on.
  void refuse();
  void accept();

  ProxyStats stats();

 private:
  using Command = std::function<void(ProxyEngine&)>;
  struct Mailbox {
    std::deque<Command> commands;
    std::uint64_t asked = 0;
    std::uint64_t done = 0;
    bool stopping = false;
  };

  FaultProxy(std::optional<FreePort> reservation, std::uint16_t port, ProxyEngine engine, Fd wake);
  void loop();
  bool obey();
  void tell(Command command);

  std::optional<FreePort> reservation_;  // keeps the port also while it refuses
  std::uint16_t port_;
  ProxyEngine engine_;  // touched by the thread only
  Fd wake_;
  Monitor<Mailbox> mailbox_;
  Thread thread_;
};

}  // namespace yonder::lab
