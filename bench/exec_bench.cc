// How fast a command gets there and back: yonder mcp, ssh with ControlMaster, cold ssh, on the same
// servers in the same minutes. Absolute times depend on the machine; the ratios are the result.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "base/quote.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/stats.h"
#include "e2e/program.h"
#include "lab/command.h"
#include "lab/fault_proxy.h"

namespace yonder::bench {
namespace {

using namespace std::chrono_literals;
using e2e::McpClient;

double exec_once(McpClient& agent, const std::string& sandbox) {
  return time_ms([&] {
    const auto reply = agent.call("exec_bash", {{"command", "true"}, {"sandbox_name", sandbox}});
    if (!reply.arrived || reply.is_error || reply.content.value("exit_code", -1) != 0) {
      std::fprintf(stderr, "bench: exec failed: %s\n", dump_json(reply.content).c_str());
      std::exit(1);
    }
  });
}

double ssh_once(const Bench& bench, const std::string& alias) {
  return time_ms([&] {
    const auto ran = need(lab::run_ssh(bench.lab, {alias, "true"}), "ssh");
    if (!ran.status.success()) {
      std::fprintf(stderr, "bench: ssh %s failed: %s\n", alias.c_str(), ran.err.c_str());
      std::exit(1);
    }
  });
}

struct Row {
  Samples yonder, master, cold;
};

// In turns, so that a noisy minute of the machine hits all alike.
Row measure(const Bench& bench, McpClient& agent, const std::string& where, int rounds) {
  Row row;
  exec_once(agent, where);  // opens the link, puts the outpost there
  ssh_once(bench, where + "-master");
  for (int i = 0; i < rounds; ++i) {
    for (int j = 0; j < 5; ++j) row.yonder.push_back(exec_once(agent, where));
    for (int j = 0; j < 3; ++j) row.master.push_back(ssh_once(bench, where + "-master"));
    if (i % 3 == 0) row.cold.push_back(ssh_once(bench, where));
  }
  return row;
}

void print_row(const char* name, const Row& row) {
  const double yonder = median(row.yonder);
  std::printf("%-12s %8.2f ms  (p90 %7.2f)   %8.2f ms  %5.1fx   %8.2f ms  %6.1fx\n", name, yonder,
              percentile(row.yonder, 0.9), median(row.master), median(row.master) / yonder,
              median(row.cold), median(row.cold) / yonder);
}

void bench_exec(const Bench& bench) {
  auto sshd = bench.start_sshd();
  auto proxy = need(lab::FaultProxy::start({.to = sshd.port(), .delay = 25ms}), "proxy");
  const std::vector<std::string> master{"ControlMaster auto", "ControlPersist 60",
                                        concat("ControlPath ", bench.runtime, "/%C")};
  need(lab::write_ssh_config(bench.lab,
                             {bench.host("near", sshd.port(), sshd.host_key()),
                              bench.host("near-master", sshd.port(), sshd.host_key(), master),
                              bench.host("far", proxy->port(), sshd.host_key()),
                              bench.host("far-master", proxy->port(), sshd.host_key(), master)}),
       "ssh config");
  auto agent = need(McpClient::start(bench.environment()), "yonder mcp");
  const Row near = measure(bench, *agent, "near", 20);
  const Row far = measure(bench, *agent, "far", 8);
  std::printf(
      "\nWarm `true`, whole tool call through `yonder mcp`, medians (ratio: times Yonder's)\n");
  std::printf("%-12s %11s %16s   %11s %7s   %11s\n", "round trip", "yonder mcp", "",
              "ControlMaster", "", "cold ssh");
  print_row("0 ms", near);
  print_row("50 ms", far);
  std::printf("beyond one round trip at 50 ms: %.2f ms (wanted: at most 8)\n",
              median(far.yonder) - 50);
  for (const char* alias : {"near-master", "far-master"}) {
    (void)lab::run_ssh(bench.lab, {"-O", "exit", alias});
  }
}

// What a command prints, on its way through to /dev/null here; in turns, the login of each apart.
void bench_stream(const Bench& bench) {
  constexpr double kMegabytes = 500;
  const std::string command = "head -c 500000000 /dev/zero";
  auto sshd = bench.start_sshd();
  need(lab::write_ssh_config(bench.lab, {bench.host("near", sshd.port(), sshd.host_key())}),
       "ssh config");
  const auto time = [&](const std::string& words) {
    return time_ms([&] {
      const auto ran = need(
          lab::capture({"/bin/sh", "-c", words + " >/dev/null </dev/null"}, bench.environment()),
          "streaming");
      if (ran.status.success()) return;
      std::fprintf(stderr, "bench: %s failed: %s\n", words.c_str(), ran.err.c_str());
      std::exit(1);
    });
  };
  const std::string yonder = shell_quote(e2e::yonder_program()) + " exec near -- ";
  Samples by_yonder;
  Samples by_ssh;
  time(yonder + "true");  // puts the outpost there
  for (int i = 0; i < 9; ++i) {
    by_ssh.push_back(time("ssh near " + shell_quote(command)) - time("ssh near true"));
    by_yonder.push_back(time(yonder + shell_quote(command)) - time(yonder + "true"));
  }
  const auto speed = [&](const Samples& samples) { return kMegabytes / median(samples) * 1000; };
  std::printf(
      "\n500 MB of output through `yonder exec`: %.0f MB/s, `ssh` %.0f MB/s: %.2fx (wanted: at "
      "least 0.95)\n",
      speed(by_yonder), speed(by_ssh), speed(by_yonder) / speed(by_ssh));
}

void bench_start(const Bench& bench) {
  Samples samples;
  for (int i = 0; i < 30; ++i) {
    std::unique_ptr<McpClient> agent;
    samples.push_back(
        time_ms([&] { agent = need(McpClient::start(bench.environment()), "yonder mcp"); }));
  }
  std::printf(
      "\nStart of `yonder mcp` to its initialize reply: median %.2f ms, p90 %.2f ms (wanted: "
      "at most 15)\n",
      median(samples), percentile(samples, 0.9));
}

std::uint64_t resident_kib(pid_t pid) {
  std::ifstream status(concat("/proc/", pid, "/status"));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmRSS:")) return std::strtoull(line.c_str() + 6, nullptr, 10);
  }
  return 0;
}

std::vector<std::uint16_t> ports_of(const std::vector<lab::Sshd>& servers) {
  std::vector<std::uint16_t> ports;
  for (const auto& server : servers) ports.push_back(server.port());
  return ports;
}

void bench_many(const Bench& bench) {
  std::vector<lab::Sshd> servers;
  for (int i = 0; i < 50; ++i) {
    servers.push_back(bench.start_sshd());
  }
  for (int i = 0; i < 5; ++i) servers[static_cast<std::size_t>(i * 10)].freeze();
  auto agent = need(McpClient::start(bench.environment({bench.sandbox_list(ports_of(servers))})),
                    "yonder mcp");
  e2e::Reply reply;
  const double ms = time_ms([&] { agent->call("list_sandboxes", Json::object()); });
  reply = agent->call("list_sandboxes", {{"wait_s", 20}});
  int alive = 0;
  for (const auto& sandbox : reply.content["sandboxes"]) {
    if (sandbox["backend"] != "ssh") continue;
    alive += sandbox["connection_alive"] == true ? 1 : 0;
    const auto number = std::strtoul(sandbox["name"].get<std::string>().c_str() + 1, nullptr, 10);
    if (sandbox["connection_alive"] != true && number % 10 != 0) {
      std::printf("  %s: %s\n", sandbox["name"].get<std::string>().c_str(),
                  dump_json(sandbox["connection_error"]).c_str());
    }
  }
  std::printf(
      "\nlist_sandboxes over 50 machines, 5 of them stalled: %.2f s (wanted: at most "
      "2), %d of 45 alive in the end\n",
      ms / 1000, alive);
  for (auto& server : servers) server.thaw();
}

void bench_memory(const Bench& bench) {
  std::vector<lab::Sshd> servers;
  for (int i = 0; i < 10; ++i) {
    servers.push_back(bench.start_sshd());
  }
  auto agent = need(McpClient::start(bench.environment({bench.sandbox_list(ports_of(servers))})),
                    "yonder mcp");
  for (std::size_t i = 0; i < servers.size(); ++i) exec_once(*agent, concat("m", i));
  std::printf(
      "\nResident memory of `yonder mcp` with 10 live links: %.1f MB (wanted: at most 20)\n",
      static_cast<double>(resident_kib(agent->pid())) / 1024);
}

void run(const Bench& bench) {
  bench_start(bench);
  bench_exec(bench);
  bench_stream(bench);
  bench_memory(bench);
  bench_many(bench);
}

}  // namespace
}  // namespace yonder::bench

int main() {
  return yonder::bench::main_of(yonder::bench::run);
}
