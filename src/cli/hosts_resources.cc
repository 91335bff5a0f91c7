#include <algorithm>
#include <array>
#include <cstdio>

#include "base/gpu_free.h"
#include "base/text.h"
#include "cli/hosts_table.h"
#include "cli/one_line.h"
#include "resources/idle_score.h"

namespace yonder::cli {
namespace {

using resources::Count;
using resources::MachineFacts;

constexpr const char* kNotMeasured = "?";

std::string places(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string milli(const Count& count, int digits) {
  return count ? places(static_cast<double>(*count) / 1000, digits) : kNotMeasured;
}

// Processors that are ours, if those are fewer than there are.
std::string cpu_text(const resources::Cpu& cpu) {
  const bool limited = !cpu.limit.empty() && cpu.allowed_milli;
  const std::string count = limited      ? milli(cpu.allowed_milli, 1)
                            : cpu.online ? std::to_string(*cpu.online)
                                         : kNotMeasured;
  return concat(milli(cpu.load_1m_milli, 1), " of ", count);
}

std::string memory_text(const resources::Memory& memory) {
  if (!memory.total_bytes || !memory.available_bytes) return kNotMeasured;
  const std::uint64_t used =
      *memory.total_bytes - std::min(*memory.total_bytes, *memory.available_bytes);
  return concat(human_bytes(used), " of ", human_bytes(*memory.total_bytes));
}

std::string disk_text(const std::vector<resources::Disk>& disks) {
  for (const auto& disk : disks) {
    if (disk.role == "work" && disk.free_bytes) return human_bytes(*disk.free_bytes) + " free";
  }
  return kNotMeasured;
}

std::string gpus_text(const resources::Gpus& gpus) {
  if (!gpus.list) return kNotMeasured;
  const auto& all = *gpus.list;
  if (all.empty()) return "-";
  std::size_t free = 0;
  const bool known = gpus.lease_problem.empty();
  for (const auto& gpu : all) {
    const auto is_free = resources::is_free(gpus, gpu);
    if (is_free && *is_free) ++free;
  }
  const std::string waiting = gpus.queue.empty() ? "" : concat(", ", gpus.queue.size(), " waiting");
  return concat(known ? std::to_string(free) : kNotMeasured, " of ", all.size(),
                gpus.unseen.empty() ? "" : " or more", " free", known ? waiting : "");
}

Row row_of(const ops::SandboxStatus& status) {
  const std::string name = one_line(status.spec.name);
  if (!status.resources) return {name, "-", "-", "-", "-", "-"};
  if (!status.resources->facts) {
    const std::string why = status.resources->error ? status.resources->error->message : "";
    const std::string failed = status.connection_alive ? "failed: " : "";
    return {name, "-", "-", "-", "-", one_line(failed + why)};
  }
  Row row{name};
  for (auto& cell : resources_cells(*status.resources->facts)) row.push_back(std::move(cell));
  return row;
}

}  // namespace

Row resources_cells(const MachineFacts& facts) {
  const auto score = resources::idle_score(facts);
  return {score ? places(*score, 3) : kNotMeasured, cpu_text(facts.cpu), memory_text(facts.memory),
          disk_text(facts.disks), gpus_text(facts.gpus)};
}

HostsTable resources_table(const ops::SandboxList& list) {
  HostsTable table{.header = {"NAME", "IDLE", "CPU", "MEM", "DISK", "GPUS"}, .rows = {}};
  for (const auto& status : list.sandboxes) table.rows.push_back(row_of(status));
  return table;
}

}  // namespace yonder::cli
