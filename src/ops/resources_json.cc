#include <cmath>

#include "base/clean_text.h"
#include "base/gpu_free.h"
#include "base/text.h"
#include "ops/machines.h"
#include "ops/operation.h"
#include "resources/idle_score.h"

namespace yonder::ops {
namespace {

using resources::Count;
using resources::Gpu;
using resources::MachineFacts;

constexpr std::uint64_t kMiB = 1024UL * 1024;

// Puts values where they belong; what was not measured is null there, and has its reason in one
// list beside them.
class Writer {
 public:
  Json value(const std::string& path, const Count& count, double divisor = 1) {
    if (!count) return missing(path, count.why);
    const auto number = static_cast<double>(*count) / divisor;
    return divisor == 1 ? Json(*count) : Json(number);
  }
  Json mib(const std::string& path, const Count& bytes) {
    return bytes ? Json(*bytes / kMiB) : missing(path, bytes.why);
  }
  Json missing(const std::string& path, const std::string& why) {
    not_measured_[path] = printable(why);
    return {};
  }
  const Json& not_measured() const { return not_measured_; }

 private:
  Json not_measured_ = Json::object();
};

Json percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  const double share = static_cast<double>(part) * 100 / static_cast<double>(whole);
  return std::round(share * 10) / 10;
}

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(printable(text));
}

Json cpu_json(const resources::Cpu& cpu, Writer& out) {
  return Json{{"load_1m", out.value("cpu.load_1m", cpu.load_1m_milli, 1000)},
              {"load_5m", out.value("cpu.load_5m", cpu.load_5m_milli, 1000)},
              {"load_15m", out.value("cpu.load_15m", cpu.load_15m_milli, 1000)},
              {"count", out.value("cpu.count", cpu.online)},
              {"allowed", out.value("cpu.allowed", cpu.allowed_milli, 1000)},
              {"limit", text_or_null(cpu.limit)}};
}

Json memory_json(const resources::Memory& memory, Writer& out) {
  Json json{{"total_mb", out.mib("memory.total_mb", memory.total_bytes)},
            {"available_mb", out.mib("memory.available_mb", memory.available_bytes)},
            {"used_mb", Json()},
            {"free_mb", Json()},
            {"used_pct", Json()},
            {"limit", text_or_null(memory.limit)}};
  json["free_mb"] = json["available_mb"];
  if (memory.total_bytes && memory.available_bytes) {
    const std::uint64_t total = *memory.total_bytes;
    const std::uint64_t used = total - std::min(total, *memory.available_bytes);
    json["used_mb"] = used / kMiB;
    json["used_pct"] = percent(used, total);
  }
  return json;
}

Json disks_json(const std::vector<resources::Disk>& disks, Writer& out) {
  Json all = Json::array();
  for (const auto& disk : disks) {
    const std::string at = concat("disks[", all.size(), "].");
    all.push_back({{"role", printable(disk.role)},
                   {"path", printable(disk.path)},
                   {"free_mb", out.mib(at + "free_mb", disk.free_bytes)},
                   {"total_mb", out.mib(at + "total_mb", disk.total_bytes)},
                   {"free_inodes", out.value(at + "free_inodes", disk.free_inodes)},
                   {"total_inodes", out.value(at + "total_inodes", disk.total_inodes)}});
  }
  return all;
}

Json processes_json(const Gpu& gpu, const std::string& at, Writer& out) {
  if (!gpu.processes) return out.missing(at + "processes", gpu.processes.why);
  Json all = Json::array();
  for (const auto& process : *gpu.processes) {
    const std::string place = concat(at, "processes[", all.size(), "].mem_used_mb");
    all.push_back({{"pid", process.pid},
                   {"user", text_or_null(process.user)},
                   {"command", printable(process.command)},
                   {"mem_used_mb", out.mib(place, process.memory_bytes)}});
  }
  return all;
}

Json lease_json(const std::optional<resources::Lease>& lease) {
  if (!lease) return {};
  return Json{{"run_id", printable(lease->run_id)},
              {"user", printable(lease->user)},
              {"since", static_cast<double>(lease->since_ms) / 1000},
              {"mine", lease->mine}};
}

Json gpu_json(const Gpu& gpu, std::size_t position, Writer& out) {
  const std::string at = concat("gpu[", position, "].");
  Json json{{"index", gpu.index},
            {"uuid", text_or_null(gpu.uuid)},
            {"name", printable(gpu.name)},
            {"util_pct", out.value(at + "util_pct", gpu.utilization_pct)},
            {"mem_used_mb", out.mib(at + "mem_used_mb", gpu.memory_used_bytes)},
            {"mem_total_mb", out.mib(at + "mem_total_mb", gpu.memory_total_bytes)},
            {"mem_used_pct", Json()},
            {"temperature_c", out.value(at + "temperature_c", gpu.temperature_c)},
            {"power_w", out.value(at + "power_w", gpu.power_mw, 1000)},
            {"processes", processes_json(gpu, at, out)},
            {"lease", lease_json(gpu.lease)},
            {"free", resources::why_not_free(gpu, 0).empty()}};
  if (gpu.memory_used_bytes && gpu.memory_total_bytes) {
    json["mem_used_pct"] = percent(*gpu.memory_used_bytes, *gpu.memory_total_bytes);
  }
  if (gpu.split) json["slices"] = gpu.slices;
  return json;
}

Json gpu_list_json(const resources::Gpus& gpus, Writer& out) {
  if (!gpus.list) return out.missing("gpu", gpus.list.why);
  Json all = Json::array();
  for (const auto& gpu : *gpus.list) all.push_back(gpu_json(gpu, all.size(), out));
  return all;
}

Json queue_json(const std::vector<resources::Waiting>& queue) {
  Json all = Json::array();
  for (const auto& one : queue) {
    all.push_back({{"run_id", printable(one.run_id)},
                   {"user", printable(one.user)},
                   {"gpus", one.gpus},
                   {"gpu_memory_mb", one.gpu_memory_mb},
                   {"since", static_cast<double>(one.since_ms) / 1000},
                   {"mine", one.mine}});
  }
  return all;
}

Json users_json(const MachineFacts& facts, Writer& out) {
  if (!facts.users) return out.missing("users", facts.users.why);
  Json all = Json::array();
  for (const auto& one : *facts.users) {
    all.push_back({{"user", printable(one.user)},
                   {"terminal", text_or_null(one.terminal)},
                   {"from", text_or_null(one.from)},
                   {"since", static_cast<double>(one.since_ms) / 1000}});
  }
  return all;
}

std::int64_t milliseconds(Duration age) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(age).count();
}

Json error_of(const resources::Seen& seen) {
  return seen.error ? error_json(*seen.error)["error"] : Json();
}

}  // namespace

Json resources_json(const resources::Seen& seen) {
  if (!seen.facts) return Json{{"error", error_of(seen)}};
  const MachineFacts& facts = *seen.facts;
  Writer out;
  Json json{{"cpu", cpu_json(facts.cpu, out)},
            {"memory", memory_json(facts.memory, out)},
            {"disks", disks_json(facts.disks, out)},
            {"gpu", gpu_list_json(facts.gpus, out)},
            {"gpu_queue", queue_json(facts.gpus.queue)},
            {"uptime_s", out.value("uptime_s", facts.uptime_s)},
            {"boot_id", text_or_null(facts.boot_id)},
            {"kernel", text_or_null(facts.kernel)},
            {"users", users_json(facts, out)},
            {"took_ms", facts.took_ms},
            {"measured_ms_ago", milliseconds(seen.age)}};
  if (!facts.gpus.lease_problem.empty()) {
    json["lease_problem"] = printable(facts.gpus.lease_problem);
  }
  const auto score = resources::idle_score(facts);
  json["idle_score"] = score ? Json(*score) : out.missing("idle_score", score.why);
  json["not_measured"] = out.not_measured();
  return json;
}

Json gpus_json(const std::vector<MachineSeen>& machines) {
  Json all = Json::array();
  for (const auto& machine : machines) {
    Json json{{"name", machine.spec.name}, {"error", error_of(machine.seen)}};
    if (machine.seen.facts) {
      Writer out;
      json["gpu"] = gpu_list_json(machine.seen.facts->gpus, out);
      json["gpu_queue"] = queue_json(machine.seen.facts->gpus.queue);
      json["measured_ms_ago"] = milliseconds(machine.seen.age);
      json["not_measured"] = out.not_measured();
    }
    all.push_back(std::move(json));
  }
  return Json{{"machines", all}};
}

}  // namespace yonder::ops
