#include "lab/fault_proxy.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "lab/wait.h"

namespace yonder::lab {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Blocking sockets that give up where a broken proxy would let the test hang.
Fd with_time_limit(Fd socket) {
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return socket;
}

struct Received {
  std::string bytes;
  int error = 0;  // how it ended: 0 is an orderly end
};

Received receive_all(const Fd& socket) {
  Received received;
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t n = ::recv(socket.get(), buffer.data(), buffer.size(), 0);
    if (n < 0) received.error = errno;
    if (n <= 0) return received;
    received.bytes.append(buffer.data(), static_cast<std::size_t>(n));
  }
}

std::string receive(const Fd& socket, std::size_t size) {
  std::string bytes(size, '\0');
  const ssize_t n = ::recv(socket.get(), bytes.data(), size, MSG_WAITALL);
  bytes.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
  return bytes;
}

void send_all(const Fd& socket, const std::string& bytes) {
  ASSERT_EQ(::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(bytes.size()));
}

bool nothing_to_read(const Fd& socket) {
  char byte = 0;
  return ::recv(socket.get(), &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
}

std::string numbered_bytes(std::size_t size) {
  std::string bytes;
  for (int line = 0; bytes.size() < size; ++line) bytes += std::to_string(line) + "\n";
  bytes.resize(size);
  return bytes;
}

class FaultProxyTest : public ::testing::Test {
 protected:
  struct Ends {
    Fd client;
    Fd target;
  };

  void SetUp() override {
    auto listener = listen_on_loopback(0);
    ASSERT_TRUE(listener) << listener.error().message;
    listener_ = with_time_limit(*std::move(listener));
    auto started = FaultProxy::start({.to = *port_of(listener_)});
    ASSERT_TRUE(started) << started.error().message;
    proxy_ = *std::move(started);
  }

  Fd connect() {
    auto client = connect_to_loopback(proxy_->port());
    EXPECT_TRUE(client);
    return client ? with_time_limit(*std::move(client)) : Fd();
  }

  Ends connect_through() {
    Fd client = connect();
    Fd target(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    EXPECT_TRUE(target);
    return {std::move(client), with_time_limit(std::move(target))};
  }

  Fd listener_;
  std::unique_ptr<FaultProxy> proxy_;
};

TEST_F(FaultProxyTest, PassesBytesAndEndsInBothDirectionsAndCountsThem) {
  Ends ends = connect_through();
  send_all(ends.client, "question");
  ::shutdown(ends.client.get(), SHUT_WR);
  EXPECT_EQ(receive_all(ends.target).bytes, "question");
  send_all(ends.target, "the answer");
  ends.target.reset();
  const Received answer = receive_all(ends.client);
  EXPECT_EQ(answer.bytes, "the answer");
  EXPECT_EQ(answer.error, 0);
  EXPECT_TRUE(eventually([&] { return proxy_->stats().open == 0; }));
  const ProxyStats stats = proxy_->stats();
  EXPECT_EQ(stats.connections, 1u);
  EXPECT_EQ(stats.up_bytes, 8u);
  EXPECT_EQ(stats.down_bytes, 10u);
  EXPECT_EQ(stats.cuts, 0u);
}

TEST_F(FaultProxyTest, MakesARoundTripTakeTwiceTheDelay) {
  Ends ends = connect_through();
  proxy_->set_delay(milliseconds(25));
  // None is shorter, and some time one is not much longer.
  const bool charged_once = eventually([&] {
    const auto start = std::chrono::steady_clock::now();
    send_all(ends.client, "x");
    EXPECT_EQ(receive(ends.target, 1), "x");
    send_all(ends.target, "y");
    EXPECT_EQ(receive(ends.client, 1), "y");
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_GE(took, milliseconds(50));
    return took < milliseconds(100);
  });
  EXPECT_TRUE(charged_once) << "charged twice";
}

TEST_F(FaultProxyTest, DelaysWithoutSlowingTheStream) {
  const std::string bytes = numbered_bytes(8 << 20);
  // Were the bytes to wait for each other, 64 KiB per delay would need over six seconds each time.
  EXPECT_TRUE(eventually([&] {
    proxy_->set_delay(milliseconds(0));
    Ends ends = connect_through();
    proxy_->set_delay(milliseconds(50));
    const auto start = std::chrono::steady_clock::now();
    Thread sender("sender", [&] {
      send_all(ends.target, bytes);
      ::shutdown(ends.target.get(), SHUT_WR);
    });
    EXPECT_EQ(receive_all(ends.client).bytes, bytes);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_GE(took, milliseconds(50));
    return took < seconds(6);
  }));
}

TEST_F(FaultProxyTest, ChargesTheHandshakeItsRoundTrip) {
  proxy_->set_delay(milliseconds(20));
  const auto start = std::chrono::steady_clock::now();
  Ends ends = connect_through();
  send_all(ends.target, "banner");
  EXPECT_EQ(receive(ends.client, 6), "banner");
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(80));
}

TEST_F(FaultProxyTest, KeepsTheOrderWhenTheDelayGetsShorter) {
  Ends ends = connect_through();
  proxy_->set_delay(milliseconds(40));
  send_all(ends.client, "first");
  ASSERT_TRUE(eventually([&] { return proxy_->stats().under_way == 5; }));
  proxy_->set_delay(milliseconds(0));
  send_all(ends.client, "second");
  EXPECT_EQ(receive(ends.target, 11), "firstsecond");
}

TEST_F(FaultProxyTest, LimitsTheRate) {
  Ends ends = connect_through();
  proxy_->set_rate(1 << 20);
  const std::string bytes = numbered_bytes(256 << 10);
  // Never faster, and some time not much slower.
  EXPECT_TRUE(eventually([&] {
    const auto start = std::chrono::steady_clock::now();
    send_all(ends.client, bytes);
    EXPECT_EQ(receive(ends.target, bytes.size()), bytes);
    const auto took = std::chrono::steady_clock::now() - start;
    EXPECT_GE(took, milliseconds(240));
    return took < seconds(3);
  }));
}

TEST_F(FaultProxyTest, CutsAllConnectionsWithAReset) {
  Ends one = connect_through();
  Ends two = connect_through();
  proxy_->cut();
  for (const Fd* end : {&one.client, &one.target, &two.client, &two.target}) {
    EXPECT_EQ(receive_all(*end).error, ECONNRESET);
  }
  EXPECT_EQ(proxy_->stats().cuts, 2u);
  Ends next = connect_through();
  send_all(next.client, "works");
  EXPECT_EQ(receive(next.target, 5), "works");
}

TEST_F(FaultProxyTest, CutsWithAnOrderlyEndEvenWhileBytesArrive) {
  Ends ends = connect_through();
  proxy_->stall();
  send_all(ends.client, "never arrives");
  proxy_->cut(CutWith::Fin);
  EXPECT_EQ(receive_all(ends.client).error, 0);
  const Received received = receive_all(ends.target);
  EXPECT_EQ(received.bytes, "");
  EXPECT_EQ(received.error, 0);
}

TEST_F(FaultProxyTest, CutsAfterExactlySoManyBytesSinceTheCall) {
  for (const CutWith with : {CutWith::Reset, CutWith::Fin}) {
    Ends ends = connect_through();
    send_all(ends.target, "before");
    ASSERT_EQ(receive(ends.client, 6), "before");
    const std::string bytes = numbered_bytes(200'000);
    proxy_->cut_after({.bytes = 123'457, .direction = Direction::Down, .with = with});
    Thread sender("sender",
                  [&] { ::send(ends.target.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL); });
    const Received received = receive_all(ends.client);
    EXPECT_EQ(received.bytes, bytes.substr(0, 123'457));
    EXPECT_EQ(received.error, with == CutWith::Reset ? ECONNRESET : 0);
  }
}

TEST_F(FaultProxyTest, CutsEachConnectionAfterItsOwnBytesAsOftenAsTheRuleSays) {
  proxy_->cut_after({.bytes = 3,
                     .direction = Direction::Up,
                     .since = Since::Connection,
                     .with = CutWith::Reset,
                     .times = 2});
  for (int i = 0; i < 2; ++i) {
    Ends ends = connect_through();
    send_all(ends.client, "abcdef");
    const Received received = receive_all(ends.target);
    EXPECT_EQ(received.bytes, "abc");
    EXPECT_EQ(received.error, ECONNRESET);
  }
  Ends free = connect_through();
  send_all(free.client, "abcdef");
  EXPECT_EQ(receive(free.target, 6), "abcdef");
}

TEST_F(FaultProxyTest, CutsOnlyWhenTheReceiverHasEverything) {
  // A small window and a receiver that does not read: most bytes wait in the proxy's own socket.
  Ends ends = connect_through();
  const int small = 64 * 1024;
  ::setsockopt(ends.client.get(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  const std::string bytes = numbered_bytes(300'000);
  proxy_->cut_after({.bytes = 250'000, .direction = Direction::Down});
  send_all(ends.target, bytes);
  const Received received = receive_all(ends.client);
  EXPECT_EQ(received.bytes, bytes.substr(0, 250'000));
}

TEST_F(FaultProxyTest, CutsNewConnectionsAtOnceWhenNoByteMayPass) {
  proxy_->cut_after({.bytes = 0, .direction = Direction::Up, .since = Since::Connection});
  const Fd client = connect();
  EXPECT_EQ(receive_all(client).error, ECONNRESET);
}

TEST_F(FaultProxyTest, PassesNothingWhileStalledAndLosesNothingWhenItResumes) {
  Ends ends = connect_through();
  send_all(ends.client, "a");
  ASSERT_EQ(receive(ends.target, 1), "a");
  proxy_->stall();
  const std::string bytes = numbered_bytes(100'000);
  send_all(ends.client, bytes);
  ::shutdown(ends.client.get(), SHUT_WR);
  const Fd late = connect();  // still accepted
  ASSERT_TRUE(eventually([&] { return proxy_->stats().connections == 2; }));
  EXPECT_EQ(proxy_->stats().up_bytes, 1u);
  EXPECT_TRUE(nothing_to_read(ends.target));
  proxy_->resume();
  EXPECT_EQ(receive_all(ends.target).bytes, bytes);
}

TEST_F(FaultProxyTest, HalfClosesOneDirectionAndLeavesTheOther) {
  Ends ends = connect_through();
  send_all(ends.target, "before");
  ASSERT_EQ(receive(ends.client, 6), "before");
  proxy_->half_close(Direction::Down);
  EXPECT_EQ(receive_all(ends.client).error, 0);
  send_all(ends.target, "lost");
  send_all(ends.client, "still up");
  EXPECT_EQ(receive(ends.target, 8), "still up");
  ends.client.reset();
  EXPECT_EQ(receive_all(ends.target).error, 0);
  ends.target.reset();
  EXPECT_TRUE(eventually([&] { return proxy_->stats().open == 0; }));
}

TEST_F(FaultProxyTest, RefusesNewConnectionsAndKeepsThePresentOnes) {
  Ends ends = connect_through();
  proxy_->refuse();
  EXPECT_FALSE(connect_to_loopback(proxy_->port()));
  EXPECT_EQ(errno, ECONNREFUSED);
  send_all(ends.client, "present");
  EXPECT_EQ(receive(ends.target, 7), "present");
  proxy_->accept();
  Ends next = connect_through();
  send_all(next.client, "new");
  EXPECT_EQ(receive(next.target, 3), "new");
}

TEST_F(FaultProxyTest, PassesAResetOn) {
  Ends ends = connect_through();
  reset_socket(ends.target);
  EXPECT_EQ(receive_all(ends.client).error, ECONNRESET);
}

TEST_F(FaultProxyTest, ResetsTheClientWhenNobodyListensAtTheTarget) {
  listener_.reset();
  const Fd client = connect();
  EXPECT_EQ(receive_all(client).error, ECONNRESET);
}

TEST_F(FaultProxyTest, EndsWithOpenConnectionsAndWithoutWaiting) {
  Ends ends = connect_through();
  proxy_->stall();
  proxy_.reset();
  EXPECT_EQ(receive(ends.client, 1), "");
}

}  // namespace
}  // namespace yonder::lab
