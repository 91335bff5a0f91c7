#include "cli/gpus_table.h"

#include <algorithm>

#include "base/gpu_free.h"
#include "base/text.h"
#include "cli/one_line.h"
#include "cli/run_words.h"

namespace yonder::cli {
namespace {

using resources::Count;
using resources::Gpu;

std::string number(const Count& count, const char* unit) {
  return count ? concat(*count, unit) : "?";
}

std::string memory_text(const Gpu& gpu) {
  const auto shown = [](const Count& bytes) { return bytes ? human_bytes(*bytes) : "?"; };
  return concat(shown(gpu.memory_used_bytes), " of ", shown(gpu.memory_total_bytes));
}

std::string users_text(const std::vector<resources::GpuProcess>& processes, bool leases_known) {
  std::vector<std::string> shown;
  for (const auto& process : processes) {
    const std::string what =
        process.command.empty() ? concat("process ", process.pid) : process.command;
    std::string one = concat(process.user.empty() ? "somebody" : process.user,
                             leases_known ? " (no lease): " : ": ", what);
    if (std::find(shown.begin(), shown.end(), one) == shown.end()) shown.push_back(std::move(one));
  }
  return join(shown, ", ");
}

// A clause about a GPU, as it can stand alone: "split into MIG slices".
std::string without_verb(const std::string& clause) {
  constexpr std::string_view kDoubt = "may be in use: ";
  if (clause.starts_with(kDoubt)) return concat("? (", clause.substr(kDoubt.size()), ")");
  for (const std::string_view verb : {"is ", "has "}) {
    if (clause.starts_with(verb)) return clause.substr(verb.size());
  }
  return clause;
}

Row row_of(const std::string& machine, const resources::Gpus& gpus, const Gpu& gpu,
           std::int64_t now_ms) {
  const std::string no_lease = gpus.lease_problem.empty() ? "-" : "?";
  return {one_line(machine),
          std::to_string(gpu.index),
          or_dash(one_line(gpu.name)),
          number(gpu.utilization_pct, " %"),
          memory_text(gpu),
          number(gpu.temperature_c, " C"),
          one_line(gpu_holder(gpus, gpu)),
          gpu.lease ? or_dash(one_line(gpu.lease->run_id)) : no_lease,
          gpu.lease ? ago(gpu.lease->since_ms, now_ms) : no_lease};
}

std::string waiting_note(const std::string& machine, std::size_t place,
                         const resources::Waiting& one, std::int64_t now_ms) {
  const std::string memory =
      one.gpu_memory_mb == 0 ? "" : concat(" with ", one.gpu_memory_mb, " MiB free");
  return one_line(concat("waiting on ", machine, ", ", place, ": ", one.user,
                         one.mine ? " (you)" : "", ", run ", one.run_id, ", for ", one.gpus,
                         one.gpus == 1 ? " GPU" : " GPUs", memory, ", came ",
                         ago(one.since_ms, now_ms)));
}

// Why a machine has no line above.
std::string silent_note(const ops::MachineSeen& machine) {
  const auto& seen = machine.seen;
  if (seen.error) {
    const std::string& hint = seen.error->hint;
    return concat("could not be asked: ", seen.error->message, hint.empty() ? "" : "; " + hint);
  }
  if (!seen.facts) return "could not be asked";
  if (!seen.facts->gpus.list) {
    return concat("its GPUs are not known: ", seen.facts->gpus.list.why);
  }
  return (*seen.facts->gpus.list).empty() ? "has no GPU" : "";
}

}  // namespace

std::string gpu_holder(const resources::Gpus& gpus, const Gpu& gpu) {
  if (gpu.lease) return concat(gpu.lease->user, gpu.lease->mine ? " (you)" : "");
  if (gpu.processes && !(*gpu.processes).empty()) {
    return users_text(*gpu.processes, gpus.lease_problem.empty());
  }
  const auto free = resources::is_free(gpus, gpu);
  if (!free) return "?";
  return *free ? "free" : without_verb(resources::why_not_free_now(gpus, gpu, 0));
}

Row gpus_header() {
  return {"MACHINE", "GPU", "NAME", "UTIL", "MEMORY", "TEMP", "HOLDER", "RUN", "SINCE"};
}

std::vector<Row> gpus_rows(const std::vector<ops::MachineSeen>& machines, std::int64_t now_ms) {
  std::vector<Row> rows;
  for (const auto& machine : machines) {
    if (!machine.seen.facts || !machine.seen.facts->gpus.list) continue;
    const auto& gpus = machine.seen.facts->gpus;
    for (const auto& gpu : *gpus.list) {
      rows.push_back(row_of(machine.spec.name, gpus, gpu, now_ms));
    }
  }
  return rows;
}

std::vector<std::string> gpus_notes(const std::vector<ops::MachineSeen>& machines,
                                    std::int64_t now_ms) {
  std::vector<std::string> notes;
  for (const auto& machine : machines) {
    if (!machine.seen.facts) continue;
    const auto& gpus = machine.seen.facts->gpus;
    for (std::size_t i = 0; i < gpus.queue.size(); ++i) {
      notes.push_back(waiting_note(machine.spec.name, i + 1, gpus.queue[i], now_ms));
    }
    if (!gpus.lease_problem.empty()) {
      notes.push_back(one_line(
          concat(machine.spec.name,
                 ": GPUs cannot be reserved, nor can be seen who has them: ", gpus.lease_problem)));
    }
    if (!gpus.unseen.empty()) {
      notes.push_back(
          one_line(concat(machine.spec.name, ": it may have more GPUs: ", gpus.unseen)));
    }
  }
  for (const auto& machine : machines) {
    const std::string why = silent_note(machine);
    if (!why.empty()) notes.push_back(one_line(concat(machine.spec.name, ": ", why)));
  }
  return notes;
}

}  // namespace yonder::cli
