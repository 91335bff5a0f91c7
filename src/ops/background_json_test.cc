#include <gmock/gmock.h>

#include "ops/background.h"
#include "ops/task_operations.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

Json with(const Json& more) {
  Json arguments{{"command", "true"}};
  arguments.update(more);
  return arguments;
}

std::string refusal(const Json& arguments) {
  const auto request = parse_background_request(arguments);
  return request ? "accepted" : request.error().message;
}

// Validation happens before anything is started, and names the parameter.
struct Wrong {
  Json arguments;
  std::string parameter;
};
class BackgroundArguments : public ::testing::TestWithParam<Wrong> {};

TEST_P(BackgroundArguments, ThatAreWrongAreRefusedByName) {
  EXPECT_THAT(refusal(with(GetParam().arguments)), StartsWith(GetParam().parameter));
}

INSTANTIATE_TEST_SUITE_P(
    Each, BackgroundArguments,
    ::testing::Values(Wrong{{{"command", "  "}}, "command"},
                      Wrong{{{"interval_s", 0}}, "interval_s"},
                      Wrong{{{"interval_s", "soon"}}, "interval_s"},
                      Wrong{{{"max_log_lines", 0}}, "max_log_lines"},
                      Wrong{{{"max_resume_attempts", -1}}, "max_resume_attempts"},
                      Wrong{{{"alert_after_failures", 0}}, "alert_after_failures"},
                      Wrong{{{"resume_delay_s", -5}}, "resume_delay_s"},
                      Wrong{{{"metadata_json", "{not json"}}, "metadata_json"},
                      Wrong{{{"metadata_json", "[1]"}}, "metadata_json"},
                      Wrong{{{"resume_plan_json", "3"}}, "resume_plan_json"},
                      Wrong{{{"checkpoint_format", "xml"}}, "checkpoint_format"},
                      Wrong{{{"webhook_url", "file:///etc/passwd"}}, "webhook_url"},
                      Wrong{{{"auto_resume", true}}, "auto_resume"},
                      Wrong{{{"auto_resume", true}, {"resume_command", "x"}}, "auto_resume"},
                      Wrong{{{"timeout_s", -1}}, "timeout_s"}, Wrong{{{"env", {{"A", 1}}}}, "env"},
                      Wrong{{{"session_name", "a\nb"}}, "session_name"},
                      Wrong{{{"session_name", "  "}}, "session_name"},
                      Wrong{{{"session_name", std::string(101, 'x')}}, "session_name"},
                      Wrong{{{"sesion_name", "x"}}, "unknown argument 'sesion_name'"}));

TEST(BackgroundRequest, TakesEveryParameterOfTheContract) {
  const auto request = parse_background_request({{"command", "train"},
                                                 {"session_name", "run.1"},
                                                 {"log_file", "~/x.log"},
                                                 {"cwd", "~/p"},
                                                 {"sandbox_name", "gpu"},
                                                 {"watch", false},
                                                 {"ensure_watchdog", true},
                                                 {"run_id", "label"},
                                                 {"watch_name", "w"},
                                                 {"resume_command", "again"},
                                                 {"resume_plan_json", "{}"},
                                                 {"checkpoint_path", "c.json"},
                                                 {"checkpoint_format", "json"},
                                                 {"checkpoint_command", ""},
                                                 {"interval_s", 60},
                                                 {"max_log_lines", 10},
                                                 {"webhook_url", "https://example.org/x"},
                                                 {"event_command", "notify"},
                                                 {"auto_resume", true},
                                                 {"max_resume_attempts", 3},
                                                 {"metadata_json", "{\"a\": 1}"},
                                                 {"notify_local", false},
                                                 {"alert_after_failures", 1},
                                                 {"resume_delay_s", 0},
                                                 {"codex_wakeup", false},
                                                 {"codex_command", ""},
                                                 {"env", {{"A", "1"}}},
                                                 {"key", "k"},
                                                 {"timeout_s", 3},
                                                 {"login", true}});
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->session_name, "run.1");
  EXPECT_EQ(request->run.timeout, std::chrono::seconds(3));
  EXPECT_THAT(request->warnings, IsEmpty());
}

TEST(BackgroundRequest, HasNoTimeLimitUnlessOneIsGiven) {
  EXPECT_FALSE(parse_background_request(with(Json::object()))->run.timeout);
}

TEST(BackgroundRequest, SaysThatNobodyWatchesYet) {
  const auto request = parse_background_request(with(Json::object()));
  ASSERT_EQ(request->warnings.size(), 1U);
  EXPECT_THAT(request->warnings[0], HasSubstr("watch"));
}

TEST(BackgroundResponse, KeepsEveryKeyWhateverIsEmpty) {
  const Json json = to_json(BackgroundResponse{.sandbox = "box", .run_id = new_run_id()});
  const Json schemas = background_output_schema()["properties"];
  for (const auto& [name, schema] : schemas.items()) {
    EXPECT_TRUE(json.contains(name)) << name;
  }
}

TEST(CheckRequest, NeedsToKnowWhatIsMeant) {
  const auto request = parse_check_request(Json::object());
  ASSERT_FALSE(request);
  EXPECT_THAT(request.error().message, StartsWith("run_id"));
}

TEST(CheckRequest, TakesAnOffsetOfZeroForTheWholeLog) {
  const auto request = parse_check_request({{"run_id", "r-abc"}, {"offset", 0}, {"wait_s", 2}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->offset, 0U);
  EXPECT_EQ(request->wait, std::chrono::seconds(2));
}

TEST(CheckRequest, TakesTheSessionNameOfTheStart) {
  EXPECT_EQ(parse_check_request({{"session_name", "trainx"}})->task.session, "trainx");
  EXPECT_EQ(parse_check_request({{"tmux_session", "trainx"}})->task.session, "trainx");
  EXPECT_EQ(parse_stop_request({{"session_name", "trainx"}})->task.session, "trainx");
  EXPECT_THAT(
      parse_check_request({{"session_name", "one"}, {"tmux_session", "other"}}).error().message,
      StartsWith("session_name"));
}

TEST(CheckRequest, RefusesAWatchThatDoesNotExist) {
  EXPECT_THAT(parse_check_request({{"watch_id", 3}}).error().message, StartsWith("watch_id"));
}

TEST(Signals, AreKnownByNameAndNumber) {
  EXPECT_EQ(*parse_signal("TERM"), 15);
  EXPECT_EQ(*parse_signal("SIGINT"), 2);
  EXPECT_EQ(*parse_signal("kill"), 9);
  EXPECT_EQ(*parse_signal("15"), 15);
  for (const char* wrong : {"", "0", "99", "TERMINATE", "-9"}) {
    EXPECT_FALSE(parse_signal(wrong)) << wrong;
  }
}

TEST(Operations, OfTasksHaveSchemasThatTheirAnswersKeep) {
  for (const auto& operation : task_operations()) {
    EXPECT_FALSE(operation.description.empty()) << operation.name;
    EXPECT_FALSE(operation.output_schema["properties"].empty()) << operation.name;
  }
  const auto keeps = [](const Json& answer, const Json& schema) {
    for (const auto& name : schema["required"]) {
      EXPECT_TRUE(answer.contains(name.get<std::string>())) << name;
    }
    EXPECT_EQ(answer.size(), schema["properties"].size());
  };
  const auto operations = task_operations();
  keeps(to_json(CheckResponse{}), operations[1].output_schema);
  keeps(to_json(StopTaskResponse{}), operations[2].output_schema);
  keeps(to_json(TaskInfo{}), operations[3].output_schema["properties"]["tasks"]["items"]);
}

}  // namespace
}  // namespace yonder::ops
