#include "chaos/worker.h"

#include <signal.h>

#include <algorithm>

#include "base/file.h"
#include "base/patience_test.h"
#include "base/text.h"
#include "chaos/leaving.h"
#include "chaos/prey.h"
#include "lab/processes.h"

namespace yonder::chaos {
namespace {

constexpr auto kPause = std::chrono::milliseconds(20);
constexpr auto kRetryPause = std::chrono::milliseconds(150);
// Every call answers within the shortest limit of a client.
constexpr auto kAnswerTime = testing::kPatience;
// A supervisor gets this long to write down an end before the run is stopped on top of it.
constexpr auto kRecordTime = std::chrono::milliseconds(500);

Json start_arguments(const RunPlan& plan, std::size_t line) {
  Json arguments{{"command", plan.command},
                 {"key", plan.key},
                 {"cwd", "/"},  // homes go away, and with them a directory to begin in
                 {"sandbox_name", sandbox_name(plan.machine, line)}};
  if (!plan.session_name.empty()) arguments["session_name"] = plan.session_name;
  if (!plan.log_file.empty()) arguments["log_file"] = plan.log_file;
  if (plan.timeout_s > 0) arguments["timeout_s"] = plan.timeout_s;
  return arguments;
}

std::optional<Instant> condition_met(const RunPlan& plan, const Seen& seen) {
  const auto now = std::chrono::steady_clock::now();
  if (plan.victim == Victim::Command) return seen.killed ? std::optional(now) : std::nullopt;
  if (plan.victim == Victim::Supervisor) return seen.orphaned_at;
  switch (plan.stop) {
    case StopWhen::Ready: return seen.ready ? std::optional(now) : std::nullopt;
    case StopWhen::CommandGone:
      return seen.gone_at ? std::optional(*seen.gone_at + kRecordTime) : std::nullopt;
    default: return now;
  }
}

}  // namespace

void Worker::work() {
  while (!stage_.end.expired()) {
    const auto due = std::find_if(pending_.begin(), pending_.end(),
                                  [&](Pending& pending) { return is_due(pending); });
    if (due != pending_.end()) {
      const RunPlan& plan = stage_.plans[static_cast<std::size_t>(due->number)];
      if (attend(plan)) {
        stage_.truth.note(plan, [](Seen& seen) { seen.settled = true; });
        pending_.erase(due);
      } else {
        stage_.truth.all_settled(Deadline::after(kRetryPause));
      }
    } else if (!start_next()) {
      // Others may still give back what they could not start.
      if (stage_.truth.all_settled(Deadline::after(kPause))) return;
    }
  }
}

bool Worker::start_next() {
  const auto next = stage_.waiting.with([](auto& waiting) -> std::optional<int> {
    if (waiting.empty()) return std::nullopt;
    const int number = waiting.front();
    waiting.pop_front();
    return number;
  });
  if (!next) return false;
  const RunPlan& plan = stage_.plans[static_cast<std::size_t>(*next)];
  if (start(plan)) {
    pending_.push_back(
        {.number = *next, .delay = std::chrono::milliseconds(dice_.between(0, 1500))});
  } else {
    // Whoever comes next tries it with the same key.
    stage_.waiting.with([&](auto& waiting) {
      dice_.one_in(2) ? waiting.push_front(*next) : waiting.push_back(*next);
    });
    stage_.truth.all_settled(Deadline::after(kRetryPause));
  }
  return true;
}

void Worker::maybe_cut_the_start(const RunPlan& plan, const Seat& seat) {
  if (!dice_.one_in(4)) return;
  lab::CutRule rule{.bytes = 1 + dice_.below(400)};
  if (dice_.one_in(2)) rule.direction = lab::Direction::Up;
  stage_.world.line(plan.machine, seat.line()).cut_after(rule);
  stage_.tally.fault(rule.direction == lab::Direction::Up ? "start request cut"
                                                          : "start reply cut");
}

// In the middle of a call, wherever it is by then.
void Worker::maybe_disturb(const RunPlan& plan, Seat& seat, const std::string& call) {
  if (!dice_.one_in(3)) return;
  stage_.calm.wait(Deadline::after(std::chrono::microseconds(dice_.between(0, 40000))));
  switch (dice_.below(3)) {
    case 0:
      stage_.world.line(plan.machine, seat.line()).cut();
      return stage_.tally.fault("link cut during a " + call);
    case 1:
      if (seat.kill()) stage_.tally.fault("yonder mcp killed during a " + call);
      return;
    default:
      for (const pid_t pid : outposts_below(stage_.world.machines[plan.machine].sshd.pid())) {
        ::kill(pid, SIGKILL);
      }
      return stage_.tally.fault("all outposts killed during a " + call);
  }
}

bool Worker::start(const RunPlan& plan) {
  const Evidence evidence = evidence_before(stage_.truth, plan);
  if (!evidence.before.may_run && path_exists(plan.count_file)) {
    stage_.tally.wrong(Wrong::Answer,
                       concat("run ", plan.number, " began, though its start was refused"));
  }
  Seat& seat = some_seat();
  if (dice_.one_in(6)) {
    stage_.truth.note(plan, [](Seen& seen) { seen.may_run = true; });
    ask_and_leave(stage_, "exec_bash_background", start_arguments(plan, seat.line()),
                  "client left right behind a start");
    return false;
  }
  maybe_cut_the_start(plan, seat);
  const int id = seat.begin("exec_bash_background", start_arguments(plan, seat.line()));
  bool second = false;
  if (dice_.one_in(5)) {
    stage_.tally.fault("the same start twice at once");
    Seat& rival = &seat == &one_ ? other_ : one_;
    const int rival_id = rival.begin("exec_bash_background", start_arguments(plan, rival.line()));
    maybe_disturb(plan, seat, "start");
    second = take_start(plan, evidence, rival.finish(rival_id, Deadline::after(kAnswerTime)));
  } else {
    maybe_disturb(plan, seat, "start");
  }
  return take_start(plan, evidence, seat.finish(id, Deadline::after(kAnswerTime))) || second;
}

bool Worker::take_start(const RunPlan& plan, Evidence evidence, const e2e::Reply& reply) {
  stage_.tally.answer(reply.arrived ? label_of("start", reply.is_error, reply.content)
                                    : "start: none, the client was killed");
  if (reply.is_error) return false;  // nothing was started
  stage_.truth.note(plan, [](Seen& seen) { seen.may_run = true; });
  if (!reply.arrived || reply.content.value("connection_error", true)) return false;
  add_evidence_after(evidence);
  judge_state(plan, evidence, reply.content, stage_.tally);
  const auto run_id = reply.content.at("run_id").get<std::string>();
  const Json log_file = reply.content.value("log_file", Json());
  if (!stage_.truth.note_start(plan, run_id,
                               log_file.is_string() ? log_file.get<std::string>() : "")) {
    stage_.tally.wrong(Wrong::Double,
                       concat("run ", plan.number, " was started again as ", run_id));
  }
  return true;
}

bool Worker::is_due(Pending& pending) {
  const auto now = std::chrono::steady_clock::now();
  if (!pending.due) {
    const RunPlan& plan = stage_.plans[static_cast<std::size_t>(pending.number)];
    const auto met = condition_met(plan, stage_.truth.of(plan));
    if (!met) return false;
    const bool waits = plan.stop != StopWhen::Never || plan.kind == Kind::Orphan;
    pending.due = waits ? *met + pending.delay : *met;
  }
  return *pending.due <= now;
}

// True when nothing is left to be done to the run.
bool Worker::attend(const RunPlan& plan) {
  if (plan.kind == Kind::Orphan) {
    return write_file_atomically(plan.go_file, "", Durability::Process).has_value();
  }
  return plan.stop == StopWhen::Never || stop(plan);
}

bool Worker::stop(const RunPlan& plan) {
  Seat& seat = some_seat();
  const Evidence evidence = evidence_before(stage_.truth, plan);
  const auto arguments = [&](const Seat& of) {
    return Json{{"run_id", evidence.before.run_id},
                {"sandbox_name", sandbox_name(plan.machine, of.line())},
                {"grace_s", plan.grace_s}};
  };
  if (dice_.one_in(8)) {
    ask_and_leave(stage_, "stop_background_task", arguments(seat),
                  "client left right behind a stop");
    return false;
  }
  const int id = seat.begin("stop_background_task", arguments(seat));
  bool stopped = false;
  maybe_disturb(plan, seat, "stop");
  if (dice_.one_in(3)) {
    stage_.tally.fault("the same stop twice at once");
    Seat& rival = &seat == &one_ ? other_ : one_;
    const int rival_id = rival.begin("stop_background_task", arguments(rival));
    stopped = take_stop(plan, evidence, rival.finish(rival_id, Deadline::after(kAnswerTime)));
  }
  return take_stop(plan, evidence, seat.finish(id, Deadline::after(kAnswerTime))) || stopped;
}

bool Worker::take_stop(const RunPlan& plan, Evidence evidence, const e2e::Reply& reply) {
  if (!reply.arrived) {
    stage_.tally.answer("stop: none, the client was killed");
    return false;
  }
  stage_.tally.answer(label_of("stop", reply.is_error, reply.content));
  if (reply.is_error) return false;
  add_evidence_after(evidence);
  judge_state(plan, evidence, reply.content, stage_.tally);
  if (!reply.content.value("gone", false)) return false;
  const auto left = lab::processes_matching("YONDER_RUN_ID=" + evidence.before.run_id);
  if (!left.empty() || !is_ended(reply.content.value("state", ""))) {
    stage_.tally.wrong(Wrong::Lie, concat("run ", plan.number, " is said to be gone, ", left.size(),
                                          " processes live: ", dump_json(reply.content)));
  }
  return true;
}

}  // namespace yonder::chaos
