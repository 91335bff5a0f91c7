#include "cli/top_once.h"

#include "base/clean_text.h"
#include "base/text.h"
#include "cli/gpus_table.h"
#include "cli/hosts_table.h"
#include "cli/one_line.h"
#include "cli/ps_table.h"
#include "cli/run_words.h"
#include "cli/top_rows.h"
#include "cli/transfers_table.h"
#include "ops/operation.h"

namespace yonder::cli {
namespace {

const TopView kEverything{};

std::string status_of(const TopMachine& machine) {
  if (machine.error) return "failed: " + one_line(machine.error->message);
  return machine.facts ? "ok" : "no answer yet";
}

// MACHINE, IDLE, CPU, MEM, DISK, GPUS, STATUS. Old values are no values.
Row machine_row(const TopMachine& machine, const TopTime& now) {
  Row row{one_line(machine.name)};
  const Row cells = top_is_fresh(machine, now.steady) ? resources_cells(*machine.facts)
                                                      : Row{"-", "-", "-", "-", "-"};
  row.insert(row.end(), cells.begin(), cells.end());
  row.push_back(status_of(machine));
  return row;
}

std::vector<Row> machine_rows(const TopKnown& known, const TopTime& now) {
  std::vector<Row> rows;
  for (const auto* machine : top_machines(known, kEverything)) {
    rows.push_back(machine_row(*machine, now));
  }
  return rows;
}

std::vector<Row> gpu_rows(const TopKnown& known, const TopTime& now) {
  std::vector<ops::MachineSeen> seen;
  for (const auto* machine : top_machines(known, kEverything)) {
    if (!top_is_fresh(*machine, now.steady)) continue;
    ops::MachineSeen one;
    one.spec.name = machine->name;
    one.seen.facts = machine->facts;
    seen.push_back(std::move(one));
  }
  return gpus_rows(seen, now.wall_ms);
}

// `whole`: ids as they are, for programs.
std::vector<Row> run_rows(const TopKnown& known, const TopTime& now, bool whole) {
  const auto runs = top_runs(known, kEverything);
  std::vector<std::string> ids;
  for (const auto& run : runs) ids.push_back(run.task->run_id.str());
  if (!whole) ids = short_ids(ids);
  std::vector<Row> rows;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const ops::TaskInfo& task = *runs[i].task;
    rows.push_back({one_line(task.sandbox), one_line(ids[i]), task_state(task, now.wall_ms),
                    task.created_ms > 0 ? age(task.created_ms, now.wall_ms) : "-",
                    or_dash(task_command(task))});
  }
  return rows;
}

std::vector<Row> transfer_rows(const TopKnown& known, const TopTime& now) {
  std::vector<Row> rows;
  for (const auto* one : top_transfers(known, kEverything)) {
    rows.push_back(transfer_row(*one, now.wall_ms));
  }
  return rows;
}

Json machine_json(const TopMachine& machine, const TopTime& now) {
  const bool heard = machine.facts || machine.error;
  Json json{{"name", printable(machine.name)},
            {"reachable", heard ? Json(!machine.error) : Json()},
            {"error", machine.error ? ops::error_json(*machine.error)["error"] : Json()},
            {"silent_s", Json()}};
  if (const auto silence = top_silence(machine.unanswered, now.steady)) {
    json["silent_s"] = to_seconds(*silence);
  }
  if (!machine.facts) return json;
  json.update(ops::resources_json(
      {.facts = machine.facts, .error = {}, .age = now.steady - machine.measured}));
  return json;
}

}  // namespace

std::string top_tables(const TopKnown& known, std::size_t width, bool styled, const TopTime& now) {
  std::string text;
  const auto add = [&](const Row& header, const std::vector<Row>& rows) {
    if (rows.empty()) return;
    text += concat(text.empty() ? "" : "\n", aligned_table(header, rows, width, styled));
  };
  add({"MACHINE", "IDLE", "CPU", "MEM", "DISK", "GPUS", "STATUS"}, machine_rows(known, now));
  add(gpus_header(), gpu_rows(known, now));
  add({"MACHINE", "RUN", "STATE", "AGE", "COMMAND"}, run_rows(known, now, false));
  add(transfers_header(), transfer_rows(known, now));
  return text.empty() ? "No machines. `yonder hosts` shows all sandboxes.\n" : text;
}

std::vector<Row> top_fields(const TopKnown& known, const TopTime& now) {
  std::vector<Row> all;
  const auto add = [&](const char* kind, const std::vector<Row>& rows) {
    for (const auto& row : rows) {
      Row one{kind};
      one.insert(one.end(), row.begin(), row.end());
      all.push_back(std::move(one));
    }
  };
  add("machine", machine_rows(known, now));
  add("gpu", gpu_rows(known, now));
  add("run", run_rows(known, now, true));
  add("transfer", transfer_rows(known, now));
  return all;
}

Json top_json(const TopKnown& known, const TopTime& now) {
  Json machines = Json::array();
  for (const auto* machine : top_machines(known, kEverything)) {
    machines.push_back(machine_json(*machine, now));
  }
  Json runs = Json::array();
  for (const auto& run : top_runs(known, kEverything)) runs.push_back(ops::to_json(*run.task));
  Json transfers = Json::array();
  for (const auto* one : top_transfers(known, kEverything)) transfers.push_back(ops::to_json(*one));
  return Json{{"time", static_cast<double>(now.wall_ms) / 1000},
              {"machines", machines},
              {"runs", runs},
              {"transfers", transfers},
              {"warnings", known.trouble.empty() ? Json::array() : Json::array({known.trouble})}};
}

}  // namespace yonder::cli
