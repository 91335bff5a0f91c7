#include <deque>

#include "base/text.h"
#include "chaos/dice.h"
#include "chaos/lease_stage.h"

namespace yonder::chaos {
namespace {

using namespace std::chrono_literals;

// So many runs of one client are under way at once.
constexpr std::size_t kUnderWay = 3;
constexpr int kAloneFailed = 99;

class Client {
 public:
  Client(LeaseStage& stage, std::size_t index, std::uint64_t seed)
      : stage_(stage), own_(stage.clients[index]), index_(index), dice_(seed) {}

  void work() {
    for (int i = 0; i < stage_.starts && !stage_.end.expired(); ++i) {
      if (under_way_.size() >= kUnderWay) see_off();
      const std::string id = start(concat("lease-", index_, "-", i));
      if (!id.empty()) under_way_.push_back(id);
    }
    while (!under_way_.empty()) see_off();
  }

 private:
  // Alone on its GPU or not: the kernel's word, not ours. The lock ends with the last process.
  std::string command(const std::string& key) {
    return concat("exec flock -n -E ", kAloneFailed, " ", stage_.ledger, "/$CUDA_VISIBLE_DEVICES ",
                  "sh -c 'echo ", key, " >> ", stage_.ledger, "/ran; sleep 0.0",
                  dice_.between(2, 9), "'");
  }

  // Asks with the same key until somebody says what became of it.
  std::string start(const std::string& key) {
    const Json arguments{{"command", command(key)},
                         {"gpus", 1},
                         {"when", "free"},
                         {"key", key},
                         {"sandbox_name", own_.sandbox}};
    while (!stage_.end.expired()) {
      const auto reply = own_.seat->call("exec_bash_background", arguments, e2e::patience());
      if (!reply.arrived) continue;
      if (reply.is_error) {
        stage_.tally.answer("start: " + code_of(reply.content));
        continue;
      }
      const std::string state = reply.content.value("state", "");
      stage_.tally.answer("start: " + state);
      if (state != "unknown" && state != "lost") return reply.content.value("run_id", "");
    }
    stage_.tally.wrong(Wrong::Answer, key + " could not be started");
    return "";
  }

  static std::string code_of(const Json& content) {
    return content.contains("error") ? content["error"].value("code", "error") : "error";
  }

  // Waits for the end of the oldest.
  void see_off() {
    const std::string id = under_way_.front();
    under_way_.pop_front();
    while (!stage_.end.expired()) {
      const auto reply = own_.seat->call(
          "check_background_task",
          {{"run_id", id}, {"sandbox_name", own_.sandbox}, {"wait_s", 5}, {"last_n_lines", 5}},
          e2e::patience());
      if (!reply.arrived || reply.is_error) continue;
      const Json& run = reply.content;
      const std::string state = run.value("state", "");
      if (state == "queued" || state == "running" || state == "unknown") continue;
      return judge(id, state, run);
    }
    stage_.tally.wrong(Wrong::Answer, id + " did not end in time");
  }

  void judge(const std::string& id, const std::string& state, const Json& run) {
    const bool was_killed =
        stage_.killed.with([&](const auto& killed) { return killed.contains(id); });
    stage_.tally.answer(concat("end: ", state, was_killed ? " (supervisor killed)" : ""));
    if (state == "exited" && run.value("exit_code", -1) == kAloneFailed) {
      stage_.tally.wrong(Wrong::Double, id + " was not alone on its GPU");
    } else if (!was_killed && (state != "exited" || run.value("exit_code", -1) != 0)) {
      stage_.tally.wrong(Wrong::ExitCode, concat(id, ": ", run.dump()));
    }
  }

  LeaseStage& stage_;
  LeaseClient& own_;
  std::size_t index_;
  Dice dice_;
  std::deque<std::string> under_way_;
};

}  // namespace

void work_with_leases(LeaseStage& stage, std::size_t client, std::uint64_t seed) {
  Client(stage, client, seed).work();
}

}  // namespace yonder::chaos
