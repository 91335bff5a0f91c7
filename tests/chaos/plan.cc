#include "chaos/plan.h"

#include "base/text.h"
#include "chaos/dice.h"

namespace yonder::chaos {
namespace {

constexpr int kLargeLines = 200000;  // of 25 bytes each
constexpr const char* kForEver = "exec sleep 3000";

class Planner {
 public:
  Planner(RunPlan& plan, Dice& dice) : plan_(plan), dice_(dice) {}

  void fill() {
    // In one write of one line: executed twice, it would have two lines.
    script_ = concat("exec 2>/dev/null; read -r stat </proc/$$/stat; echo \"$stat\" >>",
                     plan_.count_file, "; ");
    if (plan_.kind == Kind::Large) {
      print_much();
    } else if (plan_.kind != Kind::Silent) {
      print_lines();
    }
    if (must_ignore_term()) script_ += "trap '' TERM; ";
    // A child that bash forks with the signal pending runs the trap too, before it becomes `sleep`.
    if (plan_.kind == Kind::SaysGoodbye) {
      script_ += "trap '[ $BASHPID != $$ ] || echo goodbye; exit 7' TERM; ";
    }
    if (plan_.kind == Kind::SetsidChildren) spawn_children();
    script_ += concat(": >", plan_.ready_file, "; ");
    add_ending();
    plan_.command = script_;
  }

 private:
  bool must_ignore_term() const {
    return plan_.kind == Kind::IgnoresTerm || plan_.kind == Kind::StubbornAtLimit;
  }

  void print_lines() {
    const int lines = dice_.between(1, 120);
    const int pause_at = dice_.between(1, lines);
    // What has a time limit must have printed everything long before.
    const bool in_a_hurry = plan_.timeout_s > 0;
    script_ += concat("for ((i = 1; i <= ", lines, "; i++)); do echo \"run ", plan_.number,
                      " line $i\"; ");
    if (!in_a_hurry) {
      script_ += concat("[ $i = ", pause_at, " ] && sleep 0.", dice_.between(1, 9), "; ");
    }
    script_ += "done; ";
    for (int i = 1; i <= lines; ++i) {
      plan_.log += concat("run ", plan_.number, " line ", i, "\n");
    }
    if (plan_.kind != Kind::NoFinalNewline) return;
    script_ += "printf 'and an unfinished one'; ";
    plan_.log += "and an unfinished one";
  }

  void print_much() {
    script_ += concat("seq -f 'line %.0f of much text' 1000001 ", 1000000 + kLargeLines, "; ");
    plan_.log.reserve(static_cast<std::size_t>(kLargeLines) * 32);
    for (int i = 1; i <= kLargeLines; ++i) {
      plan_.log += concat("line ", 1000000 + i, " of much text\n");
    }
  }

  // In sessions of their own, forked twice, deaf to TERM: all of them belong to the run.
  void spawn_children() {
    script_ +=
        "setsid sleep 3000 & "
        "setsid sh -c 'setsid sleep 3000 & exec sleep 3000' & "
        "(trap '' TERM; exec setsid sleep 3000) & "
        "(setsid sh -c 'sleep 3000 & sleep 3000 & wait' &) ; ";
  }

  void add_ending() {
    switch (plan_.kind) {
      case Kind::Lines:
      case Kind::NoFinalNewline:
      case Kind::Large:
      case Kind::Silent: return exits(nap());
      case Kind::Signal: return dies();
      case Kind::IgnoresTerm: return is_stopped("while :; do sleep 0.5; done", 9);
      case Kind::SetsidChildren:
      case Kind::UntilStopped: return is_stopped(kForEver, 15);
      case Kind::SaysGoodbye: return says_goodbye();
      case Kind::LeavesAChild:
        exits("setsid sleep 3000 & ");
        plan_.stop = StopWhen::CommandGone;
        return;
      case Kind::TimeLimit: return reaches_limit(kForEver, 15);
      case Kind::StubbornAtLimit: return reaches_limit("while :; do sleep 0.5; done", 9);
      case Kind::CommandKilled:
        script_ += kForEver;
        plan_.victim = Victim::Command;
        return ends("signaled", 137, "SIGKILL");
      case Kind::Orphan: return is_orphaned();
      case Kind::OrphanStopped:
        script_ += kForEver;
        plan_.victim = Victim::Supervisor;
        plan_.stop = StopWhen::Orphaned;
        plan_.state = "lost";
        return;
    }
  }

  std::string nap() { return concat("sleep ", dice_.between(0, 3), ".", dice_.below(10), "; "); }

  void exits(const std::string& before) {
    const int code = dice_.one_in(3) ? 0 : dice_.between(1, 125);
    script_ += concat(before, "exit ", code);
    ends("exited", code, "");
  }

  void dies() {
    const std::vector<std::pair<int, std::string>> signals{
        {9, "SIGKILL"}, {15, "SIGTERM"}, {10, "SIGUSR1"}, {1, "SIGHUP"}};
    const auto& [number, name] = dice_.of(signals);
    script_ += concat(nap(), "kill -", number, " $$; sleep 3000");
    ends("signaled", 128 + number, name);
  }

  void is_stopped(const char* until, int by) {
    script_ += until;
    plan_.stop = StopWhen::Ready;
    ends("stopped", 128 + by, by == 9 ? "SIGKILL" : "SIGTERM");
  }

  // The child that it waits for hears the signal too, so the wait may end before the trap is run.
  void says_goodbye() {
    script_ += "while :; do sleep 3000 & wait; done";
    plan_.stop = StopWhen::Ready;
    plan_.log += "goodbye\n";
    ends("stopped", 7, "");
  }

  void reaches_limit(const char* until, int by) {
    script_ += until;
    ends("timed_out", 124, by == 9 ? "SIGKILL" : "SIGTERM");
  }

  // Nobody sees how it ends, so nobody may say it.
  void is_orphaned() {
    script_ += concat("while [ ! -e ", plan_.go_file, " ]; do sleep 0.2; done; echo late; exit 3");
    plan_.victim = Victim::Supervisor;
    plan_.log += "late\n";
    plan_.state = "lost";
  }

  void ends(const char* state, int code, const std::string& signal) {
    plan_.state = state;
    plan_.exit_code = code;
    plan_.signal = signal;
    if (!plan_.log.empty() && plan_.log.back() != '\n') plan_.log += '\n';
    plan_.log += concat("EXIT_CODE=", code, "\n");
  }

  RunPlan& plan_;
  Dice& dice_;
  std::string script_;
};

}  // namespace

std::vector<RunPlan> make_plans(std::uint64_t seed, int count, std::size_t machines,
                                const std::string& directory) {
  Dice dice(seed);
  std::vector<RunPlan> plans;
  for (int i = 0; i < count; ++i) {
    RunPlan plan{.number = i,
                 .kind = static_cast<Kind>(i < kKinds ? i : dice.between(0, kKinds - 1)),
                 .machine = dice.below(machines),
                 .key = concat("chaos-", seed, "-", i)};
    const std::string base = concat(directory, "/", i);
    plan.count_file = base + ".count";
    plan.ready_file = base + ".ready";
    plan.go_file = base + ".go";
    if (dice.one_in(3)) plan.session_name = concat("chaos ", i);
    if (dice.one_in(5)) plan.log_file = base + ".log";
    const bool limited = plan.kind == Kind::TimeLimit || plan.kind == Kind::StubbornAtLimit;
    if (limited) plan.timeout_s = 3;
    plan.grace_s = dice.between(2, 15) / 10.0;
    if (plan.kind == Kind::UntilStopped || plan.kind == Kind::SaysGoodbye) plan.grace_s = 3;
    Planner(plan, dice).fill();
    plans.push_back(std::move(plan));
  }
  return plans;
}

}  // namespace yonder::chaos
