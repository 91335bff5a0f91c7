#include "lab/fault_proxy.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>

namespace yonder::lab {
namespace {

void ring(const Fd& bell) {
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(bell.get(), &one, sizeof one);
}

void silence(const Fd& bell) {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto n = ::read(bell.get(), &count, sizeof count);
}

void wait_for(std::vector<pollfd>& fds, Instant until) {
  if (until == Instant::max()) {
    ::ppoll(fds.data(), fds.size(), nullptr, nullptr);
    return;
  }
  const auto left = std::max(Duration::zero(), Duration(until - std::chrono::steady_clock::now()));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(left);
  const timespec timeout{.tv_sec = seconds.count(), .tv_nsec = (left - seconds).count()};
  ::ppoll(fds.data(), fds.size(), &timeout, nullptr);
}

}  // namespace

Result<std::unique_ptr<FaultProxy>> FaultProxy::start(const FaultProxyOptions& options) {
  std::optional<FreePort> reservation;
  std::uint16_t port = options.listen;
  if (port == 0) {
    TRY_ASSIGN(reservation, FreePort::reserve());
    port = reservation->number();
  }
  TRY_ASSIGN(ProxyEngine engine, ProxyEngine::listen(port, options.to));
  for (const Direction direction : kDirections) engine.set_delay(direction, options.delay);
  engine.set_rate(options.rate);
  Fd wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!wake) return errno_error("eventfd");
  return std::unique_ptr<FaultProxy>(
      new FaultProxy(std::move(reservation), port, std::move(engine), std::move(wake)));
}

FaultProxy::FaultProxy(std::optional<FreePort> reservation, std::uint16_t port, ProxyEngine engine,
                       Fd wake)
    : reservation_(std::move(reservation)),
      port_(port),
      engine_(std::move(engine)),
      wake_(std::move(wake)),
      thread_("fault-proxy", [this] { loop(); }) {}

FaultProxy::~FaultProxy() {
  mailbox_.change([](Mailbox& mailbox) { mailbox.stopping = true; });
  ring(wake_);
  thread_.join();
}

void FaultProxy::loop() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // the kernel may not round our short waits
  while (obey()) {
    const Instant now = std::chrono::steady_clock::now();
    engine_.step(now);
    auto fds = engine_.wanted(now);
    fds.push_back({wake_.get(), POLLIN, 0});
    wait_for(fds, engine_.next_wake(now));
  }
}

// Carries out what was asked; false when the proxy shall end.
bool FaultProxy::obey() {
  silence(wake_);
  while (true) {
    Command command;
    const bool stopping = mailbox_.look([&](const Mailbox& mailbox) {
      if (!mailbox.commands.empty()) command = mailbox.commands.front();
      return mailbox.stopping;
    });
    if (!command) return !stopping;
    command(engine_);
    mailbox_.change([](Mailbox& mailbox) {
      mailbox.commands.pop_front();
      ++mailbox.done;
    });
  }
}

void FaultProxy::tell(Command command) {
  const std::uint64_t number = mailbox_.change([&](Mailbox& mailbox) {
    mailbox.commands.push_back(std::move(command));
    return ++mailbox.asked;
  });
  ring(wake_);
  mailbox_.wait(
      Deadline::never(), [&](const Mailbox& mailbox) { return mailbox.done >= number; },
      [](const Mailbox&) {});
}

void FaultProxy::set_delay(Duration one_way) {
  for (const Direction direction : kDirections) set_delay(direction, one_way);
}

void FaultProxy::set_delay(Direction direction, Duration one_way) {
  tell([=](ProxyEngine& engine) { engine.set_delay(direction, one_way); });
}

void FaultProxy::set_rate(std::uint64_t bytes_per_second) {
  tell([=](ProxyEngine& engine) { engine.set_rate(bytes_per_second); });
}

void FaultProxy::cut(CutWith with) {
  tell([=](ProxyEngine& engine) { engine.cut(with); });
}

void FaultProxy::cut_after(const CutRule& rule) {
  tell([=](ProxyEngine& engine) { engine.cut_after(rule, std::chrono::steady_clock::now()); });
}

void FaultProxy::stall() {
  tell([](ProxyEngine& engine) { engine.stall(); });
}

void FaultProxy::resume() {
  tell([](ProxyEngine& engine) { engine.resume(); });
}

void FaultProxy::half_close(Direction direction) {
  tell(
      [=](ProxyEngine& engine) { engine.half_close(direction, std::chrono::steady_clock::now()); });
}

void FaultProxy::refuse() {
  tell([](ProxyEngine& engine) { engine.refuse(); });
}

void FaultProxy::accept() {
  tell([](ProxyEngine& engine) { engine.accept(); });
}

ProxyStats FaultProxy::stats() {
  ProxyStats stats;
  tell([&](ProxyEngine& engine) { stats = engine.stats(); });
  return stats;
}

}  // namespace yonder::lab
