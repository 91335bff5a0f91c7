#include "chaos/verdict.h"

#include "base/base64.h"
#include "base/file.h"
#include "base/patience_test.h"
#include "base/text.h"

namespace yonder::chaos {
namespace {

// Between the end of a command and its record there is a supervisor that must get its turn.
constexpr auto kRecordTime = testing::kPatience;

std::string text_of(const Json& answer, const char* name) {
  const auto found = answer.find(name);
  return found != answer.end() && found->is_string() ? found->get<std::string>() : "";
}

std::string about(const RunPlan& plan, const Json& answer) {
  return concat("run ", plan.number, " (kind ", static_cast<int>(plan.kind), ", ", plan.state,
                "): ", text_of(answer, "run_id"), " ", text_of(answer, "state"), " ",
                text_of(answer, "signal"), " exit_code ",
                dump_json(answer.value("exit_code", Json())), ", ", text_of(answer, "proof"));
}

void judge_end(const RunPlan& plan, const Evidence& evidence, const Json& answer, Tally& tally) {
  if (evidence.alive_after) {
    return tally.wrong(Wrong::Lie, about(plan, answer) + ", but the process exists");
  }
  if (text_of(answer, "state") != plan.state) return tally.wrong(Wrong::Lie, about(plan, answer));
  if (was_cut_short(plan)) return;
  if (!answer.contains("exit_code")) return;  // a start only says the state
  const Json code = plan.exit_code ? Json(*plan.exit_code) : Json();
  if (answer.value("exit_code", Json()) != code || text_of(answer, "signal") != plan.signal) {
    tally.wrong(Wrong::ExitCode, about(plan, answer));
  }
}

void judge_living(const RunPlan& plan, const Evidence& evidence, const Json& answer, Tally& tally) {
  const Seen& before = evidence.before;
  if (before.gone_at && evidence.sent - *before.gone_at >= kRecordTime) {
    tally.wrong(Wrong::Lie, about(plan, answer) + ", but the process was gone long before");
  } else if (before.end_told_at && *before.end_told_at < evidence.sent) {
    tally.wrong(Wrong::Lie, about(plan, answer) + ", but its end had been told before");
  } else if (before.command && text_of(answer, "state") == "queued") {
    tally.wrong(Wrong::Lie, about(plan, answer) + ", but it had begun");
  }
  const bool orphan = before.orphaned_at && *before.orphaned_at < evidence.sent;
  if (orphan && text_of(answer, "proof") != "process; its supervisor is gone") {
    tally.wrong(Wrong::Lie, about(plan, answer) + ", but its supervisor was gone before");
  }
}

}  // namespace

Evidence evidence_before(const Truth& truth, const RunPlan& plan) {
  Evidence evidence{.sent = std::chrono::steady_clock::now(), .before = truth.of(plan)};
  return evidence;
}

void add_evidence_after(Evidence& evidence) {
  evidence.alive_after = evidence.before.command && exists(*evidence.before.command);
}

bool was_cut_short(const RunPlan& plan) {
  return plan.timeout_s > 0 && !path_exists(plan.ready_file);
}

bool is_ended(const std::string& state) {
  return state != "queued" && state != "running" && state != "unknown" && !state.empty();
}

void judge_state(const RunPlan& plan, const Evidence& evidence, const Json& answer, Tally& tally) {
  const std::string state = text_of(answer, "state");
  if (state == "unknown") return;
  if (is_ended(state)) {
    judge_end(plan, evidence, answer, tally);
  } else {
    judge_living(plan, evidence, answer, tally);
  }
}

void judge_log(const RunPlan& plan, const Json& answer, Tally& tally) {
  if (is_ended(text_of(answer, "state")) && was_cut_short(plan)) return;
  const auto size = answer.value("log_size", std::uint64_t{0});
  if (is_ended(text_of(answer, "state")) && size != plan.log.size()) {
    tally.wrong(Wrong::LogBytes,
                concat(about(plan, answer), ": log of ", size, " bytes, not ", plan.log.size()));
  }
  const std::string bytes = text_of(answer, "log_base64");
  if (bytes.empty() || answer.value("truncated", true)) return;
  const auto from = answer.value("offset", std::uint64_t{0});
  const auto next = answer.value("next_offset", std::uint64_t{0});
  const bool inside = from <= next && next <= plan.log.size();
  if (!inside || to_base64(plan.log.substr(from, next - from)) != bytes) {
    tally.wrong(Wrong::LogBytes, concat(about(plan, answer), ": bytes ", from, " to ", next));
  }
}

std::string label_of(const char* call, bool is_error, const Json& content) {
  if (!is_error) return concat(call, ": ", text_of(content, "state"));
  const Json error = content.value("error", Json::object());
  const Json code = error.value("code", Json());
  return concat(call, ": error ", code.is_string() ? code.get<std::string>() : dump_json(error));
}

}  // namespace yonder::chaos
