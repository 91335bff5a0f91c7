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
  Json percent(const std::string& path, const Count& part, const Count& whole) {
    if (!part) return missing(path, part.why);
    if (!whole) return missing(path, whole.why);
    if (*whole == 0) return missing(path, "there is nothing of which it could be a part");
    const double share = static_cast<double>(*part) * 100 / static_cast<double>(*whole);
    return std::round(share * 10) / 10;
  }
  Json text(const std::string& path, const std::string& text, const char* why) {
    return text.empty() ? missing(path, why) : Json(printable(text));
  }
  Json missing(const std::string& path, const std::string& why) {
    not_measured_[path] = printable(why);
    return {};
  }
  const Json& not_measured() const { return not_measured_; }

 private:
  Json not_measured_ = Json::object();
};

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
  json["free_mb"] = out.mib("memory.free_mb", memory.available_bytes);
  if (memory.total_bytes && memory.available_bytes) {
    const std::uint64_t total = *memory.total_bytes;
    const std::uint64_t used = total - std::min(total, *memory.available_bytes);
    json["used_mb"] = used / kMiB;
    json["used_pct"] = out.percent("memory.used_pct", Count::of(used), memory.total_bytes);
  } else {
    const Count& unknown = memory.total_bytes ? memory.available_bytes : memory.total_bytes;
    json["used_mb"] = out.missing("memory.used_mb", unknown.why);
    json["used_pct"] = out.missing("memory.used_pct", unknown.why);
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
    const std::string place = concat(at, "processes[", all.size(), "].");
    constexpr const char* kHidden = "the process cannot be seen from here";
    all.push_back({{"pid", process.pid},
                   {"user", out.text(place + "user", process.user, kHidden)},
                   {"command", out.text(place + "command", process.command, kHidden)},
                   {"mem_used_mb", out.mib(place + "mem_used_mb", process.memory_bytes)}});
  }
  return all;
}

std::string unseen_leases(const resources::Gpus& gpus) {
  return "leases cannot be seen: " + gpus.lease_problem;
}

Json lease_json(const resources::Gpus& gpus, const Gpu& gpu, const std::string& at, Writer& out) {
  if (!gpu.lease) {
    if (gpus.lease_problem.empty()) return {};
    return out.missing(at + "lease", unseen_leases(gpus));
  }
  return Json{{"run_id", printable(gpu.lease->run_id)},
              {"user", printable(gpu.lease->user)},
              {"since", static_cast<double>(gpu.lease->since_ms) / 1000},
              {"mine", gpu.lease->mine}};
}

Json gpu_json(const resources::Gpus& gpus, const Gpu& gpu, const std::string& at, Writer& out) {
  const auto free = resources::is_free(gpus, gpu);
  Json json{{"index", gpu.index},
            {"uuid", out.text(at + "uuid", gpu.uuid, "its tool does not tell")},
            {"vendor", text_or_null(gpu.vendor)},
            {"name", printable(gpu.name)},
            {"util_pct", out.value(at + "util_pct", gpu.utilization_pct)},
            {"mem_used_mb", out.mib(at + "mem_used_mb", gpu.memory_used_bytes)},
            {"mem_total_mb", out.mib(at + "mem_total_mb", gpu.memory_total_bytes)},
            {"mem_used_pct",
             out.percent(at + "mem_used_pct", gpu.memory_used_bytes, gpu.memory_total_bytes)},
            {"temperature_c", out.value(at + "temperature_c", gpu.temperature_c)},
            {"power_w", out.value(at + "power_w", gpu.power_mw, 1000)},
            {"processes", processes_json(gpu, at, out)},
            {"lease", lease_json(gpus, gpu, at, out)},
            {"free", free ? Json(*free) : out.missing(at + "free", free.why)},
            {"why_not_free", text_or_null(resources::why_not_free_now(gpus, gpu, 0))}};
  if (gpu.split) json["slices"] = gpu.slices;
  return json;
}

Json gpu_list_json(const resources::Gpus& gpus, Writer& out) {
  if (!gpus.list) return out.missing("gpu", gpus.list.why);
  Json all = Json::array();
  for (const auto& gpu : *gpus.list) {
    const std::string at = concat("gpu[", all.size(), "].");
    all.push_back(gpu_json(gpus, gpu, at, out));
  }
  return all;
}

Json queue_json(const resources::Gpus& gpus, Writer& out) {
  if (!gpus.lease_problem.empty()) return out.missing("gpu_queue", unseen_leases(gpus));
  Json all = Json::array();
  for (const auto& one : gpus.queue) {
    all.push_back({{"run_id", printable(one.run_id)},
                   {"user", printable(one.user)},
                   {"gpus", one.gpus},
                   {"gpu_memory_mb", one.gpu_memory_mb},
                   {"since", static_cast<double>(one.since_ms) / 1000},
                   {"mine", one.mine}});
  }
  return all;
}

void add_gpus(Json& json, const resources::Gpus& gpus, Writer& out) {
  json["gpu"] = gpu_list_json(gpus, out);
  json["gpu_queue"] = queue_json(gpus, out);
  if (!gpus.unseen.empty()) json["gpu_problem"] = printable(gpus.unseen);
  if (!gpus.lease_problem.empty()) json["lease_problem"] = printable(gpus.lease_problem);
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
            {"uptime_s", out.value("uptime_s", facts.uptime_s)},
            {"boot_id", text_or_null(facts.boot_id)},
            {"kernel", text_or_null(facts.kernel)},
            {"users", users_json(facts, out)},
            {"took_ms", facts.took_ms},
            {"measured_ms_ago", to_milliseconds(seen.age)}};
  add_gpus(json, facts.gpus, out);
  const auto score = resources::idle_score(facts);
  json["idle_score"] = score ? Json(*score) : out.missing("idle_score", score.why);
  json["not_measured"] = out.not_measured();
  return json;
}

Json gpus_json(const MachinesSeen& seen) {
  Json all = Json::array();
  for (const auto& machine : seen.machines) {
    Json json{{"name", machine.spec.name}, {"error", error_of(machine.seen)}};
    if (machine.seen.facts) {
      Writer out;
      add_gpus(json, machine.seen.facts->gpus, out);
      json["measured_ms_ago"] = to_milliseconds(machine.seen.age);
      json["not_measured"] = out.not_measured();
    }
    all.push_back(std::move(json));
  }
  const std::string note = left_out_note(seen.left_out);
  return Json{{"machines", all}, {"not_asked", note.empty() ? Json() : Json(note)}};
}

}  // namespace yonder::ops
