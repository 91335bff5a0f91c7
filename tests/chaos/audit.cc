#include "chaos/audit.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "base/patience_test.h"
#include "base/quote.h"
#include "base/text.h"
#include "chaos/liar_call.h"
#include "chaos/proc.h"
#include "chaos/verdict.h"
#include "e2e/yonder_cli.h"
#include "lab/command.h"
#include "lab/wait.h"

namespace yonder::chaos {
namespace {

constexpr std::uint64_t kFileLimit = 64UL << 20;
constexpr auto kEndTime = testing::kPatience;
constexpr auto kCallTime = testing::kPatience;
// Whose whole log does not fit into one answer.
constexpr std::size_t kLargeLog = 400000;

std::string read_text(const std::string& path) {
  auto text = read_file(path, kFileLimit);
  return text ? *std::move(text) : std::string();
}

class Audit {
 public:
  explicit Audit(Stage& stage) : stage_(stage), client_(stage.world.environment, 0, stage.tally) {}

  void run() {
    for (const auto& plan : stage_.plans) audit(plan);
    for (std::size_t i = 0; i < stage_.world.machines.size(); ++i) audit_list(i);
    const std::string trespasser = trespasser_near(stage_.world.loot);
    if (!trespasser.empty()) {
      stage_.tally.wrong(Wrong::Answer, "in the end, the liar has written " + trespasser);
    }
  }

 private:
  void wrong(Wrong what, const RunPlan& plan, const std::string& detail) {
    stage_.tally.wrong(what, concat("in the end, run ", plan.number, " (kind ",
                                    static_cast<int>(plan.kind), "): ", detail));
  }

  void audit(const RunPlan& plan) {
    const Seen seen = stage_.truth.of(plan);
    const std::string count = read_text(plan.count_file);
    const auto executed = std::count(count.begin(), count.end(), '\n');
    if (executed != 1 && !(executed == 0 && was_cut_short(plan))) {
      wrong(Wrong::Double, plan, "executed as in " + count);
    }
    if (seen.run_id.empty()) return wrong(Wrong::Answer, plan, "its start was never confirmed");
    if (!seen.settled) wrong(Wrong::Answer, plan, "was not stopped or killed in time");
    const Json answer = wait_for_end(plan, seen);
    if (!is_ended(answer.value("state", ""))) {
      return wrong(Wrong::ExitCode, plan,
                   concat("has no end: ", dump_json(answer).substr(0, 600), "\n", count,
                          traces_of(plan, seen)));
    }
    audit_log(plan, seen, answer);
  }

  // What the machine's disks hold of the run and its key.
  std::string traces_of(const RunPlan& plan, const Seen& seen) const {
    const Machine& machine = stage_.world.machines[plan.machine];
    const std::string script = concat(
        "cd ", shell_quote(machine.state_disk), "/yonder; ls -la --time-style=full-iso runs/",
        seen.run_id, " 2>&1; echo with the key:; grep -la ", shell_quote(plan.key),
        " runs/*/spec runs/*/asked; ls -la keys | grep ", seen.run_id,
        "; echo elsewhere:; find /var/tmp /tmp /dev/shm -maxdepth 6 -name ", seen.run_id,
        " 2>/dev/null; date --iso-8601=ns");
    const auto shown = lab::capture({"/bin/sh", "-c", script}, stage_.world.environment);
    return shown ? concat("log ", seen.log_file, "\n", shown->out) : std::string();
  }

  Json wait_for_end(const RunPlan& plan, const Seen& seen) {
    Json answer = Json::object();
    const auto has_end = [&] {
      Evidence evidence = evidence_before(stage_.truth, plan);
      const auto reply = client_.call("check_background_task",
                                      {{"run_id", seen.run_id},
                                       {"sandbox_name", direct_name(plan.machine)},
                                       {"raw", true},
                                       {"offset", 0},
                                       {"max_output_chars", 2 * kLargeLog}},
                                      Deadline::after(kCallTime));
      add_evidence_after(evidence);
      answer = reply.content;
      if (!reply.arrived || reply.is_error) return false;
      judge_state(plan, evidence, answer, stage_.tally);
      if (!stage_.truth.of(plan).log_may_lack) judge_log(plan, answer, stage_.tally);
      return is_ended(answer.value("state", ""));
    };
    lab::eventually(has_end, Deadline::after(kEndTime));
    return answer.is_object() ? answer : Json::object();
  }

  void audit_log(const RunPlan& plan, const Seen& seen, const Json& answer) {
    const std::string path = answer.at("log_file").get<std::string>();
    if (!seen.log_file.empty() && path != seen.log_file) {
      wrong(Wrong::LogBytes, plan, concat("its log is ", path, ", was ", seen.log_file));
    }
    if (was_cut_short(plan) || seen.log_may_lack) return;
    if (read_text(path) != plan.log) {
      wrong(Wrong::LogBytes, plan, concat("other bytes in ", path));
    }
    if (plan.log.size() < kLargeLog) return;
    const auto shown = e2e::run_yonder(
        {"logs", seen.run_id, "--sandbox", direct_name(plan.machine)}, stage_.world.environment);
    if (shown.out != plan.log) {
      wrong(Wrong::LogBytes, plan,
            concat("`yonder logs` printed ", shown.out.size(), " bytes ", shown.err));
    }
  }

  // No record beside those of the runs that were meant.
  void audit_list(std::size_t machine) {
    std::set<std::string> meant;
    for (const auto& plan : stage_.plans) {
      if (plan.machine == machine) meant.insert(stage_.truth.of(plan).run_id);
    }
    const auto reply =
        client_.call("list_background_tasks", {{"sandbox_name", direct_name(machine)}},
                     Deadline::after(kCallTime));
    if (!reply.arrived || reply.is_error) {
      return stage_.tally.wrong(Wrong::Answer, "in the end, no list of machine's tasks");
    }
    for (const auto& task : reply.content.at("tasks")) {
      const auto id = task.at("run_id").get<std::string>();
      if (!meant.contains(id)) {
        stage_.tally.wrong(Wrong::Double, "a run that nobody knows: " + dump_json(task));
      }
    }
  }

  Stage& stage_;
  Seat client_;
};

}  // namespace

void audit_runs(Stage& stage) {
  Audit(stage).run();
}

void audit_processes(Stage& stage) {
  for (const auto& machine : stage.world.machines) {
    const uid_t uid = machine.user.uid;
    if (lab::eventually([&] { return processes_of(uid).empty(); }, Deadline::after(kEndTime))) {
      continue;
    }
    for (const pid_t pid : processes_of(uid)) {
      stage.tally.wrong(Wrong::LeftProcess, concat(pid, " ", describe(pid)));
    }
  }
}

}  // namespace yonder::chaos
