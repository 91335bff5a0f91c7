// Clients check answers against the schemas that the tools have told them.
#include <gtest/gtest.h>

#include "mcp/tools.h"
#include "ops/background.h"
#include "ops/exec.h"
#include "ops/operation.h"
#include "ops/task_operations.h"
#include "ops/tasks.h"
#include "ops/transfers.h"

namespace yonder::mcp {
namespace {

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "integer") return value.is_number_integer();
  return type == "number" && value.is_number();
}

bool has_some_type(const Json& value, const Json& types) {
  if (types.is_string()) return has_type(value, types.get<std::string>());
  for (const auto& type : types) {
    if (has_type(value, type.get<std::string>())) return true;
  }
  return false;
}

// What is wrong with a value, by the parts of JSON Schema that our schemas use; "" when nothing is.
std::string misfit(const Json& value, const Json& schema, const std::string& where) {
  if (schema.contains("type") && !has_some_type(value, schema["type"])) {
    return where + " is " + dump_json(value) + ", not " + dump_json(schema["type"]);
  }
  if (value.is_object()) {
    for (const auto& name : schema.value("required", Json::array())) {
      if (!value.contains(name.get<std::string>())) return where + " lacks " + dump_json(name);
    }
    const Json properties = schema.value("properties", Json::object());
    for (const auto& [name, property] : properties.items()) {
      if (!value.contains(name)) continue;
      const std::string wrong = misfit(value[name], property, where + "." + name);
      if (!wrong.empty()) return wrong;
    }
  }
  if (value.is_array() && schema.contains("items")) {
    for (const auto& item : value) {
      const std::string wrong = misfit(item, schema["items"], where + "[]");
      if (!wrong.empty()) return wrong;
    }
  }
  if (!schema.contains("anyOf")) return "";
  std::string all;
  for (const auto& one : schema["anyOf"]) {
    const std::string wrong = misfit(value, one, where);
    if (wrong.empty()) return "";
    all += wrong + "; ";
  }
  return all;
}

std::string misfit(const std::string& tool, const Json& answer) {
  for (const auto& operation : ops::all_operations()) {
    if (operation.name == tool) return misfit(answer, with_failure(operation.output_schema), tool);
  }
  return "no such tool: " + tool;
}

TEST(OwnSchemaTest, AnswersFitTheSchemaThatTheirToolHasTold) {
  const ops::TransferInfo done{.note = {.status = "completed"}, .state = {.status = "completed"}};
  EXPECT_EQ(misfit("check_file_transfer_task",
                   ops::to_json(ops::CheckTransferResponse{.transfer = done})),
            "");
  EXPECT_EQ(misfit("cancel_file_transfer_task",
                   ops::to_json(ops::CancelTransferResponse{.transfer = done})),
            "");
  EXPECT_EQ(misfit("list_file_transfer_tasks", Json{{"tasks", Json::array({ops::to_json(done)})}}),
            "");
  for (const RunState state : {RunState::Queued, RunState::Running, RunState::Unknown}) {
    const ops::TaskInfo task{.status = {.state = state}};
    EXPECT_EQ(misfit("exec_bash", ops::to_json(ops::ExecResponse{.status = task.status})), "");
    EXPECT_EQ(misfit("exec_bash_background",
                     ops::to_json(ops::BackgroundResponse{.status = task.status})),
              "");
    EXPECT_EQ(misfit("check_background_task", ops::to_json(ops::CheckResponse{.task = task})), "");
    EXPECT_EQ(misfit("check_background_task", ops::to_json(ops::CheckResponse{})), "");
    EXPECT_EQ(misfit("stop_background_task", ops::to_json(ops::StopTaskResponse{.task = task})),
              "");
    EXPECT_EQ(misfit("list_background_tasks",
                     ops::page_json(ops::TaskList{.tasks = {task}, .sandboxes = {{}}}, {})),
              "");
  }
}

TEST(OwnSchemaTest, FailuresFitTheSchemaOfEveryTool) {
  const Json failure = ops::error_json({Errc::NotFound, "no such thing", "look elsewhere"});
  for (const auto& operation : ops::all_operations()) {
    EXPECT_EQ(misfit(operation.name, failure), "");
  }
}

}  // namespace
}  // namespace yonder::mcp
