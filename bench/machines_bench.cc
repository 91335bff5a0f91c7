// What it costs to look at machines: many at once of which some are stalled, and the measuring
// itself.
#include <thread>

#include "bench/bench.h"
#include "bench/stats.h"
#include "lab/fault_proxy.h"

namespace yonder::bench {
namespace {

using namespace std::chrono_literals;
using e2e::McpClient;

constexpr int kMachines = 50;
constexpr int kStalled = 5;
constexpr int kLinesPerServer = 5;
constexpr double kWaitSeconds = 1.5;
constexpr double kOpeningSeconds = 45;

Json look(McpClient& agent, double wait_s) {
  return need(agent.call("list_sandboxes", {{"check_resources", true}, {"wait_s", wait_s}}),
              "list_sandboxes");
}

std::size_t measured(const Json& list) {
  std::size_t count = 0;
  for (const auto& sandbox : list["sandboxes"]) {
    count += sandbox["resources"].is_object() && sandbox["resources"].contains("cpu") ? 1 : 0;
  }
  return count;
}

// What is known of the last seconds would be used again.
void let_it_age() {
  std::this_thread::sleep_for(3500ms);
}

struct Machines {
  explicit Machines(const Bench& bench) {
    for (int i = 0; i < kMachines; ++i) {
      // A server lets only a few log in at once.
      if (i % kLinesPerServer == 0) servers.push_back(bench.start_sshd());
      proxies.push_back(
          need(lab::FaultProxy::start({.to = servers.back().port(), .delay = 25ms}), "proxy"));
      ports.push_back(proxies.back()->port());
    }
  }
  std::vector<lab::Sshd> servers;
  std::vector<std::unique_ptr<lab::FaultProxy>> proxies;
  std::vector<std::uint16_t> ports;
};

void bench_look(const Bench& bench) {
  Machines machines(bench);
  auto agent =
      need(McpClient::start(bench.environment({bench.sandbox_list(machines.ports)})), "yonder mcp");
  const std::size_t connected = measured(look(*agent, kOpeningSeconds));  // opens the links
  let_it_age();
  Samples all;
  for (int i = 0; i < 5; ++i) {
    all.push_back(time_ms([&] { look(*agent, 0); }));
    let_it_age();
  }
  std::printf(
      "\nResources of %d machines, warm links, 50 ms round trip: median %.0f ms = 1 round trip + "
      "%.0f ms, %zu answered\n",
      kMachines, median(all), median(all) - 50, connected);
  for (int i = 0; i < kStalled; ++i) machines.proxies[static_cast<std::size_t>(i)]->stall();
  Samples some;
  std::size_t answered = kMachines;
  for (int i = 0; i < 5; ++i) {
    Json list;
    some.push_back(time_ms([&] { list = look(*agent, kWaitSeconds); }));
    answered = std::min(answered, measured(list));
    let_it_age();
  }
  std::printf(
      "The same with %d of them stalled, and wait_s %.1f: median %.0f ms, at least %zu answered "
      "(wanted: %d within 1 round trip + 1500 ms)\n",
      kStalled, kWaitSeconds, median(some), answered, kMachines - kStalled);
}

void bench_measuring(const Bench& bench) {
  const auto sshd = bench.start_sshd();
  auto agent =
      need(McpClient::start(bench.environment({bench.sandbox_list({sshd.port()})})), "yonder mcp");
  look(*agent, kOpeningSeconds);
  Samples samples;
  for (int i = 0; i < 5; ++i) {
    let_it_age();
    const Json list = look(*agent, 0);
    for (const auto& sandbox : list["sandboxes"]) {
      if (sandbox["resources"].is_object() && sandbox["resources"].contains("took_ms")) {
        samples.push_back(sandbox["resources"]["took_ms"].get<double>());
      }
    }
  }
  std::printf(
      "The measuring itself, without a GPU tool: median %.0f ms, at most %.0f ms (wanted: at most "
      "20)\n",
      median(samples), percentile(samples, 1.0));
}

void run(const Bench& bench) {
  bench_look(bench);
  bench_measuring(bench);
}

}  // namespace
}  // namespace yonder::bench

int main() {
  return yonder::bench::main_of(yonder::bench::run);
}
