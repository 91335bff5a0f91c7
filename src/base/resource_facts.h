#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What a machine has, and how much of it is free: plain structs that the messages, the measuring
// and the tools have in common. What was not measured has no value and says why: it is never zero.
//
// Fractions are whole numbers of thousandths, because both ends must agree on every bit.
namespace yonder::resources {

template <class T>
struct Measured {
  std::optional<T> value;
  std::string why;  // there is no value

  static Measured of(T measured) { return {.value = std::move(measured), .why = {}}; }
  static Measured missing(const std::string& reason) { return {.value = {}, .why = reason}; }
  explicit operator bool() const { return value.has_value(); }
  const T& operator*() const { return *value; }
};
using Count = Measured<std::uint64_t>;

struct Cpu {
  Count load_1m_milli;
  Count load_5m_milli;
  Count load_15m_milli;
  Count online;         // processors of the machine
  Count allowed_milli;  // how many of them we may use: affinity and every control group above us
  std::string limit;    // what allows no more: "affinity", "cgroup"; empty: nothing does
  // Of the group that limits us: in how much of the last minute something had to wait for a CPU.
  Count pressure_milli_pct;
};

struct Memory {
  Count total_bytes;      // of the machine, or what our control groups allow
  Count available_bytes;  // without swapping; within what our control groups allow
  std::string limit;      // "cgroup" when that is less than the machine has
};

struct Disk {
  std::string role;  // "work": where commands start; "state": where runs are recorded
  std::string path;
  Count free_bytes;  // for us
  Count total_bytes;
  Count free_inodes;
  Count total_inodes;
  std::string absent;  // why nothing can start there; empty: it is there
};

struct GpuProcess {
  std::int64_t pid = 0;
  std::string user;     // empty: not to be seen from here
  std::string command;  // shortened
  Count memory_bytes;
};

// Somebody's right to a GPU: see "Leases" in ARCHITECTURE.md.
struct Lease {
  std::string run_id;
  std::string user;
  std::int64_t since_ms = 0;
  bool mine = false;  // of the user who asks
};

struct Gpu {
  std::uint64_t index = 0;  // as its own tool counts
  std::string uuid;         // empty: the tool does not tell
  std::string name;
  Count utilization_pct;
  Count memory_used_bytes;
  Count memory_total_bytes;
  Count temperature_c;
  Count power_mw;
  bool split = false;               // into MIG slices
  std::vector<std::string> slices;  // their UUIDs
  Measured<std::vector<GpuProcess>> processes;
  std::optional<Lease> lease;
  std::string vendor;   // "nvidia", "amd"
  std::string device;   // what the variable of its vendor calls it; empty: its uuid
  std::string never;    // why it cannot be given to a run, whoever uses it; empty: it can
  std::string trouble;  // what its tool says of it that no GPU in order would have said
};

// A run that waits for GPUs, in the order in which they are served.
struct Waiting {
  std::string run_id;
  std::string user;
  std::uint64_t gpus = 0;
  std::uint64_t gpu_memory_mb = 0;  // 0: any
  std::int64_t since_ms = 0;
  bool mine = false;
  bool holds_back = true;  // GPUs that suit it are kept for it
};

struct Gpus {
  std::string vendor;  // "nvidia", "amd", "nvidia, amd"; empty: none
  std::string tool;    // that was asked, or several
  // No value: there may be GPUs, but nothing could be learned of them. Empty: there are none.
  Measured<std::vector<Gpu>> list;
  std::vector<Waiting> queue;
  std::string lease_problem;  // why leases cannot be seen or taken here: `queue` says nothing then
  std::string unseen;         // why there may be more GPUs than in the list; empty: there are none
};

struct LoggedIn {
  std::string user;
  std::string terminal;
  std::string from;
  std::int64_t since_ms = 0;
};

struct MachineFacts {
  std::string boot_id;
  std::string kernel;
  Count uptime_s;
  Cpu cpu;
  Memory memory;
  std::vector<Disk> disks;
  Gpus gpus;
  Measured<std::vector<LoggedIn>> users;
  std::int64_t clock_ms = 0;
  std::int64_t took_ms = 0;  // to measure
};

// What a run asks of a machine.
// No machine has more.
inline constexpr std::uint64_t kMostGpusOfARun = 64;

struct Needs {
  std::uint64_t gpus = 0;
  std::uint64_t gpu_memory_mb = 0;  // of each of them
  std::uint64_t memory_mb = 0;
  std::uint64_t disk_mb = 0;
  std::vector<std::string> labels;
};

}  // namespace yonder::resources
