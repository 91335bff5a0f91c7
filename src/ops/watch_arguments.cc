#include "ops/watch_arguments.h"

#include "base/text.h"
#include "ops/schema.h"

namespace yonder::ops {
namespace {

constexpr double kMaxCount = 1000000;
constexpr double kMaxSeconds = 30.0 * 24 * 3600;

Json parse_object(Arguments& in, const char* name) {
  const std::string text = in.text(name, "");
  if (trim(text).empty()) return Json::object();
  Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    in.fail(name, "must be a JSON object, as text", "for example {\"purpose\": \"nightly\"}");
    return Json::object();
  }
  return json;
}

std::string text_of(const Json& plan, const char* name) {
  const auto found = plan.find(name);
  return found != plan.end() && found->is_string() ? found->get<std::string>() : "";
}

void check_url(Arguments& in, const char* name) {
  const std::string url = in.text(name, "");
  const bool known = url.starts_with("https://") || url.starts_with("http://");
  if (!url.empty() && !known) in.fail(name, "must begin with https:// or http://");
}

void check_format(Arguments& in) {
  const std::string format = in.text("checkpoint_format", "text");
  if (format != "text" && format != "json") {
    in.fail("checkpoint_format", "must be text or json");
  }
}

// What is to be run again, and from where, must be known before it is needed.
void check_resume(Arguments& in) {
  const Json plan = parse_object(in, "resume_plan_json");
  const auto either = [&](const char* name) {
    const std::string own = in.text(name, "");
    return own.empty() ? text_of(plan, name) : own;
  };
  const std::string command = either("resume_command");
  const std::string path = either("checkpoint_path");
  const std::string reader = either("checkpoint_command");
  if (!in.flag("auto_resume", false)) return;
  if (command.empty()) {
    in.fail("auto_resume", "needs resume_command (or resume_plan_json.resume_command)");
  } else if (path.empty() && reader.empty()) {
    in.fail("auto_resume", "needs checkpoint_path or checkpoint_command");
  }
}

}  // namespace

std::vector<std::string> check_watch_arguments(Arguments& in) {
  const bool watch = in.flag("watch", true);
  in.flag("ensure_watchdog", true);
  in.text("run_id", "");
  in.text("watch_name", "");
  in.number("interval_s", 300, 1, kMaxSeconds);
  in.whole("max_log_lines", 80, 1, kMaxCount);
  in.whole("max_resume_attempts", 1, 0, kMaxCount);
  in.whole("alert_after_failures", 2, 1, kMaxCount);
  in.number("resume_delay_s", 300, 0, kMaxSeconds);
  in.text("event_command", "");
  in.flag("notify_local", true);
  in.flag("codex_wakeup", false);
  in.text("codex_command", "");
  parse_object(in, "metadata_json");
  check_url(in, "webhook_url");
  check_format(in);
  check_resume(in);
  if (!watch) return {};
  return {"watch: nobody watches this run yet; ask with check_background_task"};
}

Json watch_properties() {
  const auto text = [](const char* about) { return with_default(typed("string", about), ""); };
  const auto count = [](int value) {
    return with_default(typed("number", "For watching."), value);
  };
  const auto flag = [](bool value) {
    return with_default(typed("boolean", "For watching."), value);
  };
  return Json{{"watch", with_default(typed("boolean", "Watch the run."), true)},
              {"ensure_watchdog", flag(true)},
              {"run_id", text("A label of your own, for watching.")},
              {"watch_name", text("For watching.")},
              {"resume_command", text("What a resume runs.")},
              {"resume_plan_json", text("The same as a JSON object.")},
              {"checkpoint_path", text("File over there that tells the progress.")},
              {"checkpoint_format", with_default(typed("string", "text or json."), "text")},
              {"checkpoint_command", text("Or a command that prints it.")},
              {"interval_s", count(300)},
              {"max_log_lines", count(80)},
              {"webhook_url", text("For watching.")},
              {"event_command", text("For watching.")},
              {"auto_resume", flag(false)},
              {"max_resume_attempts", count(1)},
              {"metadata_json", text("A JSON object, for watching.")},
              {"notify_local", flag(true)},
              {"alert_after_failures", count(2)},
              {"resume_delay_s", count(300)},
              {"codex_wakeup", flag(false)},
              {"codex_command", text("For watching.")}};
}

}  // namespace yonder::ops
