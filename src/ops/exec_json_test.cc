#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "ops/exec.h"
#include "ops/operation.h"
#include "ops/resolve.h"

namespace yonder::ops {
namespace {

using ::testing::HasSubstr;

std::set<std::string> keys(const Json& object) {
  std::set<std::string> names;
  for (const auto& [name, value] : object.items()) names.insert(name);
  return names;
}

std::string complaint(const Json& arguments) {
  const auto request = parse_exec_request(arguments);
  if (request) return "";
  EXPECT_EQ(request.error().code, Errc::InvalidArgument);
  return request.error().message;
}

TEST(ParseExecRequest, HasDefaultsForAllButTheCommand) {
  const auto request = parse_exec_request(Json{{"command", "ls"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.command, "ls");
  EXPECT_EQ(request->run.timeout, std::chrono::seconds(120));
  EXPECT_EQ(request->wait, std::chrono::seconds(50));
  EXPECT_EQ(request->max_output_chars, 20000U);
  EXPECT_FALSE(request->stdin_text);
  EXPECT_FALSE(request->run_id);
  EXPECT_FALSE(request->run.login);
}

TEST(ParseExecRequest, TakesEveryField) {
  const auto request = parse_exec_request(Json{{"command", "ls"},
                                               {"cwd", "~/x"},
                                               {"timeout_s", 0.5},
                                               {"max_output_chars", 10},
                                               {"sandbox_name", "gpu"},
                                               {"env", {{"A", "1"}}},
                                               {"stdin", ""},
                                               {"wait_s", 0},
                                               {"login", true},
                                               {"key", "k"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run.cwd, "~/x");
  EXPECT_EQ(request->run.timeout, std::chrono::milliseconds(500));
  EXPECT_EQ(request->max_output_chars, 10U);
  EXPECT_EQ(request->sandbox, "gpu");
  EXPECT_EQ(request->run.env.at("A"), "1");
  EXPECT_EQ(request->stdin_text, "") << "an empty input is not a closed one";
  EXPECT_EQ(request->wait, Duration::zero());
  EXPECT_TRUE(request->run.login);
  EXPECT_EQ(request->run.key, "k");
}

TEST(ParseExecRequest, TakesARunIdInsteadOfACommand) {
  const auto request = parse_exec_request(Json{{"run_id", "r-abcdefghijklmnop"}});
  ASSERT_TRUE(request);
  EXPECT_EQ(request->run_named, "r-abcdefghijklmnop");
  const auto beginning = parse_exec_request(Json{{"run_id", "abcd"}});
  ASSERT_TRUE(beginning);
  EXPECT_EQ(beginning->run_named, "abcd");
}

TEST(ParseExecRequest, NamesWhatIsWrong) {
  struct Row {
    Json arguments;
    const char* complaint;
  };
  for (const auto& [arguments, expected] : std::vector<Row>{
           {Json::object(), "command: must not be empty"},
           {{{"command", " \n\t"}}, "command: must not be empty"},
           {{{"command", 1}}, "command: must be a string"},
           {{{"command", "ls"}, {"run_id", "r-abcdefghijklmnop"}}, "together with run_id"},
           {{{"run_id", "../x"}}, "is not a run id"},
           {{{"command", "ls"}, {"timeout_s", 0}}, "timeout_s: must be between"},
           {{{"command", "ls"}, {"timeout_s", 1e9}}, "timeout_s: must be between"},
           {{{"command", "ls"}, {"wait_s", -1}}, "wait_s: must be between 0 and 3600"},
           {{{"command", "ls"}, {"max_output_chars", 2000000}},
            "max_output_chars: must be between"},
           {{{"command", "ls"}, {"env", {{"A", 1}}}}, "env: 'A' must be a string"},
           {{{"command", "ls"}, {"stdin", std::string(5000000, 'x')}},
            "stdin: is longer than 4 MiB"},
           {{{"command", "ls"}, {"timeout", 5}}, "unknown argument 'timeout'"},
           {{{"command", "ls"}, {"cwdd", "/"}}, "unknown argument 'cwdd'"}}) {
    EXPECT_THAT(complaint(arguments), HasSubstr(expected));
  }
  EXPECT_EQ(parse_exec_request(Json{{"command", "x"}, {"timeouts", 5}}).error().hint,
            "did you mean 'timeout_s'?");
}

// A value that the schema allows for this property.
Json example_for(const Json& schema) {
  const Json type = schema["type"].is_array() ? schema["type"][0] : schema["type"];
  if (type == "string") return "";
  if (type == "boolean") return true;
  if (type == "object") return Json::object();
  if (type == "array") return Json::array();
  return 1;
}

TEST(ExecSchema, AgreesWithTheParser) {
  const Json properties = exec_input_schema()["properties"];
  EXPECT_EQ(exec_input_schema()["additionalProperties"], false);
  for (const auto& [name, schema] : properties.items()) {
    Json arguments{{"command", "ls"}, {"gpus", 1}};
    arguments[name] = name == "command" ? Json("ls") : example_for(schema);
    EXPECT_EQ(complaint(arguments), "") << name;
    if (schema.contains("default")) {
      arguments[name] = schema["default"];
      EXPECT_EQ(complaint(arguments), "") << name;
    }
  }
  // The parser tells what it knows: nothing that the schema leaves out.
  const auto unknown = parse_exec_request(Json{{"command", "ls"}, {"qqqqqqqqqqqq", 1}});
  ASSERT_FALSE(unknown);
  std::string known;
  for (const auto& name :
       {"command", "cwd", "timeout_s", "max_output_chars", "sandbox_name", "env", "stdin", "wait_s",
        "login", "key", "gpus", "gpu_memory_mb", "memory_mb", "disk_mb", "labels", "run_id"}) {
    EXPECT_TRUE(properties.contains(name)) << name;
    known += (known.empty() ? "" : ", ") + std::string(name);
  }
  EXPECT_EQ(unknown.error().hint, "known arguments: " + known);
  EXPECT_EQ(properties.size(), 16U);
}

TEST(ExecSchema, NamesExactlyTheKeysOfAResponse) {
  const Json schema = exec_output_schema();
  const Json response = to_json(ExecResponse{});
  EXPECT_EQ(keys(response), keys(schema["properties"]));
  EXPECT_EQ(schema["required"].size(), response.size());
}

TEST(ExecSchema, NamesTheTypesOfAFullResponse) {
  ExecResponse full;
  full.run_id = RunId("r-abcdefghijklmnop");
  full.status = {.state = RunState::Signaled,
                 .proof = "exit record",
                 .exit_code = 137,
                 .signal = "SIGKILL",
                 .left_running = {{.pid = 1, .command = "x"}},
                 .duration_s = 1.5};
  full.chosen = Chosen{.sandbox = "gpu1"};
  full.warnings = {"w"};
  const Json response = to_json(full);
  const Json properties = exec_output_schema()["properties"];
  for (const auto& [name, schema] : properties.items()) {
    const Json type = schema["type"].is_array() ? schema["type"][0] : schema["type"];
    const Json& value = response[name];
    EXPECT_TRUE((type == "string" && value.is_string()) ||
                (type == "boolean" && value.is_boolean()) ||
                (type == "integer" && value.is_number_integer()) ||
                (type == "number" && value.is_number()) || (type == "array" && value.is_array()) ||
                (type == "object" && value.is_object()))
        << name << ": " << value;
  }
  EXPECT_EQ(response["left_running"][0]["pid"], 1);
}

TEST(ExecResponseJson, TellsRunningFromUnknown) {
  ExecResponse response;
  for (const auto& [state, running] : {std::pair{RunState::Queued, Json(false)},
                                       {RunState::Running, Json(true)},
                                       {RunState::Unknown, Json()},
                                       {RunState::Exited, Json(false)},
                                       {RunState::Lost, Json(false)}}) {
    response.status.state = state;
    EXPECT_EQ(to_json(response)["running"], running);
    EXPECT_EQ(to_json(response)["exit_code"], nullptr);
  }
}

TEST(EffectiveCwd, PutsWhatTheCallerSaysBelowTheSandboxsOwn) {
  EXPECT_EQ(effective_cwd("", ""), "");
  EXPECT_EQ(effective_cwd("", "~/work"), "~/work");
  EXPECT_EQ(effective_cwd("sub", "~/proj"), "~/proj/sub");
  EXPECT_EQ(effective_cwd("sub", ""), "sub");
  EXPECT_EQ(effective_cwd("/abs", "~/work"), "/abs");
  EXPECT_EQ(effective_cwd("~", "~/work"), "~");
  EXPECT_EQ(effective_cwd("~/x", "/srv"), "~/x");
}

TEST(Operations, AreNamedOnceAndHaveObjectSchemas) {
  std::set<std::string> names;
  for (const auto& operation : all_operations()) {
    EXPECT_TRUE(names.insert(operation.name).second) << operation.name;
    EXPECT_EQ(operation.input_schema["type"], "object") << operation.name;
    EXPECT_EQ(operation.output_schema["type"], "object") << operation.name;
    EXPECT_FALSE(operation.description.empty() || operation.title.empty());
    EXPECT_TRUE(operation.call);
  }
}

TEST(ErrorJson, SaysWhatToDoNext) {
  const Json json = error_json({Errc::AuthNeeded, "m", "h"})["error"];
  EXPECT_EQ(dump_json(json),
            R"({"code":"auth_needed","message":"m","hint":"h","retryable":false})");
}

}  // namespace
}  // namespace yonder::ops
