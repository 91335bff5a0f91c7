// What background runs cost: the start, the list over many machines, the end of a long log, and the
// memory that a run holds over there.
#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "bench/bench.h"
#include "bench/stats.h"
#include "lab/fault_proxy.h"
#include "lab/processes.h"

namespace yonder::bench {
namespace {

using namespace std::chrono_literals;
using e2e::McpClient;

Json call(McpClient& agent, const char* tool, const Json& arguments) {
  return need(agent.call(tool, arguments), tool);
}

void bench_start(const Bench& bench) {
  auto sshd = bench.start_sshd();
  auto proxy = need(lab::FaultProxy::start({.to = sshd.port(), .delay = 25ms}), "proxy");
  need(lab::write_ssh_config(bench.lab, {bench.host("far", proxy->port(), sshd.host_key())}),
       "ssh config");
  auto agent = need(McpClient::start(bench.environment()), "yonder mcp");
  call(*agent, "exec_bash", {{"command", "true"}, {"sandbox_name", "far"}});
  Samples samples;
  for (int i = 0; i < 30; ++i) {
    samples.push_back(time_ms([&] {
      call(*agent, "exec_bash_background",
           {{"command", "true"}, {"sandbox_name", "far"}, {"watch", false}});
    }));
  }
  std::printf(
      "\nStart of a background run to its handle, 50 ms round trip: median %.2f ms, p90 %.2f ms = "
      "1 round trip + %.2f ms (wanted: at most 15)\n",
      median(samples), percentile(samples, 0.9), median(samples) - 50);
}

void bench_list(const Bench& bench) {
  constexpr int kMachines = 20;
  std::vector<lab::Sshd> servers;
  std::vector<std::unique_ptr<lab::FaultProxy>> proxies;
  std::vector<std::uint16_t> ports;
  for (int i = 0; i < kMachines; ++i) {
    servers.push_back(bench.start_sshd());
    proxies.push_back(
        need(lab::FaultProxy::start({.to = servers.back().port(), .delay = 25ms}), "proxy"));
    ports.push_back(proxies.back()->port());
  }
  auto agent = need(McpClient::start(bench.environment({bench.sandbox_list(ports)})), "yonder mcp");
  call(*agent, "list_background_tasks", Json::object());  // opens the links
  Samples samples;
  std::size_t answered = 0;
  for (int i = 0; i < 15; ++i) {
    Json list;
    samples.push_back(
        time_ms([&] { list = call(*agent, "list_background_tasks", Json::object()); }));
    answered = 0;
    for (const auto& place : list["sandboxes"]) answered += place["connection_alive"] == true;
  }
  std::printf(
      "\nList of all runs over %d machines, warm links, 50 ms round trip: median %.2f ms = 1 round "
      "trip + %.2f ms (wanted: at most 100), %zu answered\n",
      kMachines, median(samples), median(samples) - 50, answered);
}

void write_log(const std::string& path, off_t size) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  std::string end;
  for (int i = 0; i < 100; ++i) end += concat("step ", i, " loss 0.5\n");
  // The hole is what a long log would be: bytes that nobody asks for.
  const bool written =
      fd >= 0 && ::ftruncate(fd, size) == 0 && ::pwrite(fd, end.data(), end.size(), size) > 0;
  if (fd >= 0) ::close(fd);
  need(written ? Result<void>() : Result<void>(errno_error(path)), "log");
}

void bench_tail(const Bench& bench) {
  const std::string directory = need(bench.lab.new_directory("logs"), "directory");
  write_log(directory + "/small", 10000);
  write_log(directory + "/large", 10LL * 1000 * 1000 * 1000);
  auto agent = need(McpClient::start(bench.environment()), "yonder mcp");
  const auto tail = [&](const char* name) {
    return time_ms([&] {
      call(*agent, "check_background_task",
           {{"log_file", directory + "/" + name}, {"sandbox_name", "local"}});
    });
  };
  tail("small");
  Samples small, large;
  for (int i = 0; i < 50; ++i) {
    small.push_back(tail("small"));
    large.push_back(tail("large"));
  }
  std::printf(
      "\nLast 50 lines of a log of 10 KB: %.2f ms, of 10 GB: %.2f ms = %.2fx (wanted: at most 2)\n",
      median(small), median(large), median(large) / median(small));
}

// What the kernel would get back: pages that are shared with others count in part.
double proportional_kib(pid_t pid) {
  std::ifstream rollup(concat("/proc/", pid, "/smaps_rollup"));
  std::string line;
  while (std::getline(rollup, line)) {
    if (line.starts_with("Pss:")) return std::strtod(line.c_str() + 4, nullptr);
  }
  return 0;
}

// Of all outposts over there with this among their arguments.
double memory_mb(const std::string& argument = "") {
  double kib = 0;
  for (const auto& process : lab::living_processes()) {
    std::error_code gone;
    const auto program = std::filesystem::read_symlink(concat("/proc/", process.pid, "/exe"), gone);
    if (!program.filename().string().starts_with("outpost-")) continue;
    std::ifstream file(concat("/proc/", process.pid, "/cmdline"));
    const std::string arguments{std::istreambuf_iterator<char>(file), {}};
    if (arguments.find(argument) != std::string::npos) kib += proportional_kib(process.pid);
  }
  return kib / 1024;
}

void bench_memory(const Bench& bench) {
  auto sshd = bench.start_sshd();
  need(lab::write_ssh_config(bench.lab, {bench.host("box", sshd.port(), sshd.host_key())}),
       "ssh config");
  auto agent = need(McpClient::start(bench.environment()), "yonder mcp");
  std::vector<std::string> runs;
  const auto start_one = [&] {
    runs.push_back(call(
        *agent, "exec_bash_background",
        {{"command", "exec sleep 1000"}, {"sandbox_name", "box"}, {"watch", false}})["run_id"]);
  };
  start_one();
  const double with_one = memory_mb();
  while (runs.size() < 10) start_one();
  std::printf(
      "\nMemory over there (proportional), all of Yonder's processes: with one run %.2f MB "
      "(wanted: "
      "at most 3), with ten %.2f MB a run\n"
      "  of these ten: supervisor %.2f MB a run, tmux view %.2f MB a run, link %.2f MB\n",
      with_one, memory_mb() / 10, memory_mb("outpost supervise") / 10, memory_mb("show") / 10,
      memory_mb("serve"));
  for (const auto& id : runs) {
    call(*agent, "stop_background_task", {{"run_id", id}, {"grace_s", 1}});
  }
}

void run(const Bench& bench) {
  bench_start(bench);
  bench_list(bench);
  bench_tail(bench);
  bench_memory(bench);
}

}  // namespace
}  // namespace yonder::bench

int main() {
  return yonder::bench::main_of(yonder::bench::run);
}
