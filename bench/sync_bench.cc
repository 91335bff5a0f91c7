// How fast files get there: yonder mcp's sync tools beside rsync, scp and sftp, on the same servers
// in the same minutes, both trees in memory. The ratios are the result.
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>

#include "base/text.h"
#include "bench/bench.h"
#include "bench/stats.h"
#include "bench/sync_trees.h"
#include "lab/fault_proxy.h"
#include "lab/processes.h"

namespace yonder::bench {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using e2e::McpClient;

constexpr int kSources = 10000;
constexpr int kMany = 100000;
constexpr std::uint64_t kLarge = 1024UL * 1024 * 1024;

// Somewhere in memory that both ends may use.
class Memory {
 public:
  Memory() : path_("/dev/shm/yonder-bench-XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) {
      std::fprintf(stderr, "bench: no directory in /dev/shm\n");
      std::exit(1);
    }
    ::chmod(path_.c_str(), 0777);
    near_ = path_ + "/near";
    far_ = path_ + "/far";
    for (const auto& side : {near_, far_}) {
      fs::create_directory(side);
      ::chmod(side.c_str(), 0777);
    }
  }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  ~Memory() { fs::remove_all(path_); }

  std::string near(const std::string& name) const { return near_ + "/" + name; }
  std::string far(const std::string& name) const { return far_ + "/" + name; }

 private:
  std::string path_;
  std::string near_;
  std::string far_;
};

// One server, without and with 50 ms, and the agent that has links to both.
struct Scene {
  const Bench& bench;
  lab::Sshd sshd;
  std::unique_ptr<lab::FaultProxy> near_proxy;
  std::unique_ptr<lab::FaultProxy> far_proxy;
  std::unique_ptr<McpClient> agent;

  explicit Scene(const Bench& b) : bench(b), sshd(b.start_sshd()) {
    near_proxy = need(lab::FaultProxy::start({.to = sshd.port()}), "proxy");
    far_proxy = need(lab::FaultProxy::start({.to = sshd.port(), .delay = 25ms}), "proxy");
    need(lab::write_ssh_config(bench.lab, {bench.host("0ms", near_proxy->port(), sshd.host_key()),
                                           bench.host("50ms", far_proxy->port(), sshd.host_key())}),
         "ssh config");
    agent = need(McpClient::start(bench.environment({"REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES=1000000",
                                                     "REMOTE_SANDBOX_INLINE_SYNC_MAX_BYTES="
                                                     "100000000000"})),
                 "yonder mcp");
    for (const char* where : {"0ms", "50ms"}) exec(where);
  }

  void exec(const std::string& where) const {
    need(agent->call("exec_bash", {{"command", "true"}, {"sandbox_name", where}}), "exec_bash");
  }

  Json push(const std::string& where, const std::string& from, const std::string& to) const {
    const Json result =
        need(agent->call("sync_local_to_remote",
                         {{"local_path", from}, {"remote_path", to}, {"sandbox_name", where}}),
             "sync_local_to_remote");
    if (result.value("complete", false)) return result;
    std::fprintf(stderr, "bench: incomplete: %s\n", dump_json(result).c_str());
    std::exit(1);
  }

  void run(const std::vector<std::string>& argv) const {
    const auto ran = need(run_captured({.argv = argv, .environment = bench.environment()}, "",
                                       1UL << 20U, Deadline::after(5min)),
                          argv.front().c_str());
    if (ran.status.success()) return;
    std::fprintf(stderr, "bench: %s: %s\n", argv.front().c_str(), ran.err.c_str());
    std::exit(1);
  }
  void rsync(const std::string& how, const std::string& where, const std::string& from,
             const std::string& to) const {
    run({"/usr/bin/rsync", how, "-e", "ssh", from, concat(where, ":", to)});
  }
};

struct Times {
  Samples yonder, plain, compressed;
  double best_rsync() const { return std::min(median(plain), median(compressed)); }
};

// Fresh copies, then copies where nothing has changed; in turns.
void bench_sources(const Scene& scene, const Memory& memory) {
  const std::string from = memory.near("sources");
  make_sources(from, kSources);
  std::printf("\n%d files, source-like text (ratio: times Yonder's)\n", kSources);
  std::printf("%-24s %12s %18s %18s\n", "", "yonder", "rsync -a", "rsync -az");
  for (const std::string where : {"0ms", "50ms"}) {
    Times fresh, same;
    for (int round = 0; round < 3; ++round) {
      const auto both = [&](const char* name, Samples Times::*into, const auto& copy) {
        const std::string to = memory.far(name);
        fs::remove_all(to);
        (fresh.*into).push_back(time_ms([&] { copy(to); }));
        for (int i = 0; i < 3; ++i) (same.*into).push_back(time_ms([&] { copy(to); }));
      };
      both("yonder", &Times::yonder, [&](const std::string& to) { scene.push(where, from, to); });
      both("plain", &Times::plain,
           [&](const std::string& to) { scene.rsync("-a", where, from + "/", to); });
      both("compressed", &Times::compressed,
           [&](const std::string& to) { scene.rsync("-az", where, from + "/", to); });
    }
    const auto row = [&](const char* what, const Times& times, const char* wanted) {
      std::printf("%-5s %-18s %9.0f ms %9.0f ms %4.1fx %9.0f ms %4.1fx   best rsync %.1fx (%s)\n",
                  where.c_str(), what, median(times.yonder), median(times.plain),
                  median(times.plain) / median(times.yonder), median(times.compressed),
                  median(times.compressed) / median(times.yonder),
                  times.best_rsync() / median(times.yonder), wanted);
    };
    row("fresh", fresh, "wanted: at least 2");
    row("no change", same, where == "0ms" ? "wanted: at least 4" : "wanted: at least 8");
  }
}

void bench_one_change(const Scene& scene, const Memory& memory) {
  const std::string from = memory.near("sources");
  for (const std::string where : {"0ms", "50ms"}) {
    const int round_trip = where == "0ms" ? 0 : 50;
    const std::string to = memory.far("one");
    fs::remove_all(to);
    scene.push(where, from, to);
    Samples samples;
    for (int i = 0; i < 7; ++i) {
      std::ofstream(from + "/package0/module0/source0.py", std::ios::app) << "# " << i << "\n";
      samples.push_back(time_ms([&] {
        scene.push(where, from, to);
        scene.exec(where);
      }));
    }
    std::printf(
        "%-5s one of them changed, then a command there: %.0f ms = 3 round trips + %.0f ms "
        "(wanted: at most 150)\n",
        where.c_str(), median(samples), median(samples) - 3 * round_trip);
  }
}

void bench_large(const Scene& scene, const Memory& memory) {
  const std::string from = memory.near("large");
  make_random_file(from, kLarge);
  std::printf("\n1 GiB of random bytes (ratio: times Yonder's)\n");
  for (const std::string where : {"0ms", "50ms"}) {
    Samples yonder, scp, sftp, rsync;
    for (int round = 0; round < (where == "0ms" ? 3 : 1); ++round) {
      const auto copy = [&](Samples& samples, const auto& work) {
        fs::remove(memory.far("large"));
        samples.push_back(time_ms(work));
      };
      const std::string to = memory.far("large");
      copy(yonder, [&] { scene.push(where, from, to); });
      copy(scp, [&] { scene.run({"/usr/bin/scp", "-q", from, concat(where, ":", to)}); });
      copy(sftp, [&] {
        scene.run({"/bin/sh", "-c", concat("echo put ", from, " ", to, " | sftp -q -b - ", where)});
      });
      copy(rsync, [&] { scene.rsync("-a", where, from, to); });
    }
    const double best = std::min({median(scp), median(sftp), median(rsync)});
    std::printf(
        "%-5s yonder %.0f ms   scp %.0f ms %.1fx   sftp %.0f ms %.1fx   rsync %.0f ms "
        "%.1fx   best %.2fx (wanted: at least %s)\n",
        where.c_str(), median(yonder), median(scp), median(scp) / median(yonder), median(sftp),
        median(sftp) / median(yonder), median(rsync), median(rsync) / median(yonder),
        best / median(yonder), where == "0ms" ? "1.0" : "2.0");
  }
}

// Bytes in both directions, as the proxy saw them.
void bench_delta(const Scene& scene, const Memory& memory) {
  const std::string from = memory.near("large");
  std::uint64_t bytes[2] = {0, 0};
  double times[2] = {0, 0};
  const char* names[2] = {"delta-yonder", "delta-rsync"};
  for (int who = 0; who < 2; ++who) {
    const std::string to = memory.far(names[who]);
    fs::copy_file(from, to, fs::copy_options::overwrite_existing);
    ::chmod(to.c_str(), 0666);
    std::error_code ignored;
    fs::last_write_time(to, fs::last_write_time(from) - 1h, ignored);
    struct stat owner {};
    if (::stat(memory.far("").c_str(), &owner) != 0) std::exit(1);
  }
  change_one_percent(from, 5);
  scene.far_proxy->set_rate(100UL * 1000 * 1000 / 8);
  for (int who = 0; who < 2; ++who) {
    const std::string to = memory.far(names[who]);
    const auto before = scene.far_proxy->stats();
    times[who] = time_ms([&] {
      if (who == 0) {
        scene.push("50ms", from, to);
      } else {
        scene.rsync("-a", "50ms", from, to);
      }
    });
    const auto after = scene.far_proxy->stats();
    bytes[who] = after.up_bytes + after.down_bytes - before.up_bytes - before.down_bytes;
  }
  scene.far_proxy->set_rate(0);
  std::printf(
      "\n1 GiB with 1 %% changed in place, 100 Mbit/s: yonder %.1f MB in %.1f s, rsync %.1f "
      "MB in %.1f s: %.2fx its bytes (wanted: at most 1.3)\n",
      static_cast<double>(bytes[0]) / 1e6, times[0] / 1000, static_cast<double>(bytes[1]) / 1e6,
      times[1] / 1000, static_cast<double>(bytes[0]) / static_cast<double>(bytes[1]));
}

double peak_mb(pid_t pid) {
  std::ifstream status(concat("/proc/", pid, "/status"));
  std::string line;
  while (std::getline(status, line)) {
    if (line.starts_with("VmHWM:")) return std::strtod(line.c_str() + 6, nullptr) / 1024;
  }
  return 0;
}

double far_peak_mb() {
  double most = 0;
  for (const auto& process : lab::living_processes()) {
    std::error_code gone;
    const auto program = fs::read_symlink(concat("/proc/", process.pid, "/exe"), gone);
    if (program.filename().string().starts_with("outpost-")) {
      most = std::max(most, peak_mb(process.pid));
    }
  }
  return most;
}

void bench_many(const Scene& scene, const Memory& memory) {
  const std::string from = memory.near("many");
  const std::string to = memory.far("many");
  make_many(from, kMany);
  scene.push("0ms", from, to);
  Samples samples;
  double far_most = 0;
  for (int i = 0; i < 5; ++i) {
    samples.push_back(time_ms([&] {
      const int id = scene.agent->call_async(
          "sync_local_to_remote",
          {{"local_path", from}, {"remote_path", to}, {"sandbox_name", "0ms"}});
      while (!scene.agent->has_reply(id)) {
        far_most = std::max(far_most, far_peak_mb());
        ::usleep(5000);
      }
      need(scene.agent->wait(id), "sync_local_to_remote");
    }));
  }
  std::printf(
      "\n%d files, no change: %.0f ms (wanted: at most 1500); most memory: yonder mcp %.0f "
      "MB, the far side %.0f MB (wanted: at most 150)\n",
      kMany, median(samples), peak_mb(scene.agent->pid()), far_most);
}

// The second and the fourth go on with what the one before has made.
void run(const Bench& bench, const std::set<std::string>& wanted) {
  const Memory memory;
  const Scene scene(bench);
  if (wanted.contains("sources")) {
    bench_sources(scene, memory);
    bench_one_change(scene, memory);
  }
  if (wanted.contains("large")) {
    bench_large(scene, memory);
    bench_delta(scene, memory);
  }
  if (wanted.contains("many")) bench_many(scene, memory);
}

}  // namespace
}  // namespace yonder::bench

// sync_bench [PART...]: sources, large, many; the default is all of them.
int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::set<std::string> wanted(argv + 1, argv + argc);
  if (wanted.empty()) wanted = {"sources", "large", "many"};
  return yonder::bench::main_of(
      [&](const yonder::bench::Bench& bench) { yonder::bench::run(bench, wanted); });
}
