#include "chaos/observer.h"

#include <map>

#include "base/patience_test.h"
#include "base/text.h"
#include "chaos/leaving.h"
#include "chaos/liar_call.h"
#include "chaos/verdict.h"
#include "e2e/fixture.h"

namespace yonder::chaos {
namespace {

constexpr auto kPause = std::chrono::milliseconds(15);
constexpr auto kAnswerTime = testing::kPatience;

}  // namespace

void Observer::watch() {
  while (!stage_.calm.wait(Deadline::after(kPause)) && !stage_.end.expired()) {
    const auto started = stage_.truth.started();
    if (started.empty()) continue;
    const RunPlan& plan = stage_.plans[static_cast<std::size_t>(dice_.of(started))];
    if (dice_.one_in(15)) {
      list(dice_.below(stage_.world.machines.size()));
    } else if (dice_.one_in(10)) {
      ask_the_liar(plan);
    } else if (dice_.one_in(25)) {
      check_and_leave(plan);
    } else {
      check(plan);
    }
  }
}

Json Observer::question(const RunPlan& plan, const Seen& seen) {
  Json arguments{{"run_id", seen.run_id},
                 {"sandbox_name", sandbox_name(plan.machine, seat_.line())}};
  switch (dice_.below(5)) {
    case 0: break;
    case 1: arguments["wait_s"] = 0.3; break;
    case 2: arguments["filter"] = "line .*7"; break;
    case 3: arguments.update({{"raw", true}, {"offset", dice_.below(plan.log.size() + 1)}}); break;
    default: arguments.update({{"raw", true}, {"offset", 0}, {"max_output_chars", 50000}});
  }
  return arguments;
}

void Observer::check(const RunPlan& plan) {
  Evidence evidence = evidence_before(stage_.truth, plan);
  const auto reply = seat_.call("check_background_task", question(plan, evidence.before),
                                Deadline::after(kAnswerTime));
  add_evidence_after(evidence);
  if (!reply.arrived) return;
  stage_.tally.answer(label_of("check", reply.is_error, reply.content));
  if (reply.is_error) return;
  judge_state(plan, evidence, reply.content, stage_.tally);
  if (!stage_.truth.of(plan).log_may_lack) judge_log(plan, reply.content, stage_.tally);
  if (!is_ended(reply.content.value("state", ""))) return;
  stage_.truth.note(plan, [](Seen& seen) {
    if (!seen.end_told_at) seen.end_told_at = std::chrono::steady_clock::now();
  });
}

// In the middle of a long wait, or before the question has got anywhere.
void Observer::check_and_leave(const RunPlan& plan) {
  Json arguments = question(plan, stage_.truth.of(plan));
  if (dice_.one_in(2)) arguments["wait_s"] = 30;
  ask_and_leave(stage_, "check_background_task", arguments, "client left right behind a check");
}

// Whatever that machine sends, the answer comes, it is no statement about a run of another machine,
// and the client is as well as before: its later answers are judged as all others are.
void Observer::ask_the_liar(const RunPlan& plan) {
  const LiarCall call = a_call_for_the_liar(dice_, stage_.truth.of(plan).run_id, stage_.world.loot);
  stage_.tally.fault(concat("a machine that lies was asked: ", call.tool));
  const auto reply = seat_.call(call.tool, call.arguments, Deadline::after(kAnswerTime));
  if (!reply.arrived) return;
  stage_.tally.answer(label_of("liar", reply.is_error, reply.content));
  if (holds_control_characters(reply.content)) {
    stage_.tally.wrong(Wrong::Answer, concat("words of the liar that a terminal would obey: ",
                                             dump_json(reply.content).substr(0, 600)));
  }
  const auto memory = e2e::peak_memory(seat_.pid());
  if (memory > e2e::enough_memory()) {
    stage_.tally.wrong(Wrong::Answer, concat("yonder mcp has held ", memory, " bytes"));
  }
}

void Observer::list(std::size_t machine) {
  std::map<std::string, std::pair<const RunPlan*, Evidence>> known;
  for (const auto& plan : stage_.plans) {
    Evidence evidence = evidence_before(stage_.truth, plan);
    if (plan.machine != machine || evidence.before.run_id.empty()) continue;
    known.emplace(evidence.before.run_id, std::pair(&plan, evidence));
  }
  const auto reply =
      seat_.call("list_background_tasks", {{"sandbox_name", sandbox_name(machine, seat_.line())}},
                 Deadline::after(kAnswerTime));
  if (!reply.arrived) return;
  stage_.tally.answer(label_of("list", reply.is_error, reply.content));
  if (reply.is_error) return;
  for (const auto& task : reply.content.at("tasks")) {
    const Json run_id = task.value("run_id", Json());
    const auto found = known.find(run_id.is_string() ? run_id.get<std::string>() : "");
    if (found == known.end()) continue;
    auto& [plan, evidence] = found->second;
    add_evidence_after(evidence);
    judge_state(*plan, evidence, task, stage_.tally);
  }
}

}  // namespace yonder::chaos
