#include "mcp/tools.h"

#include <gtest/gtest.h>

namespace yonder::mcp {
namespace {

Tool make_tool(std::string name) {
  return Tool{
      .operation =
          {.name = std::move(name),
           .title = "Look",
           .toolset = "test",
           .description = "Looks.",
           .hints =
               {.read_only = true, .destructive = false, .idempotent = true, .open_world = false},
           .input_schema = Json::parse(R"({"type":"object","properties":{}})"),
           .output_schema = Json::parse(
               R"({"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]})"),
           .call = {}},
      .call = {}};
}

Json listed(Version version) {
  const std::vector<Tool> tools{make_tool("look")};
  return tool_list(tools, version)["tools"][0];
}

TEST(ToolList, ShowsTheFirstRevisionOnlyWhatItKnows) {
  const Json tool = listed(Version::V2024_11_05);
  EXPECT_EQ(
      dump_json(tool),
      R"({"name":"look","description":"Looks.","inputSchema":{"type":"object","properties":{}}})");
}

TEST(ToolList, AddsAnnotationsWith2025_03_26) {
  const Json tool = listed(Version::V2025_03_26);
  EXPECT_EQ(dump_json(tool["annotations"]),
            R"({"title":"Look","readOnlyHint":true,"destructiveHint":false,)"
            R"("idempotentHint":true,"openWorldHint":false})");
  EXPECT_FALSE(tool.contains("title"));
  EXPECT_FALSE(tool.contains("outputSchema"));
}

TEST(ToolList, AddsTitleAndOutputSchemaWith2025_06_18) {
  for (const Version version : {Version::V2025_06_18, Version::V2025_11_25}) {
    const Json tool = listed(version);
    EXPECT_EQ(tool["title"], "Look");
    EXPECT_FALSE(tool["annotations"].contains("title"));
    EXPECT_EQ(tool["outputSchema"]["type"], "object");
  }
}

TEST(ToolList, GivesAToolWithoutSchemasAnEmptyInputAndNoOutput) {
  Tool tool = make_tool("bare");
  tool.operation.input_schema = nullptr;
  tool.operation.output_schema = nullptr;
  const std::vector<Tool> tools{tool};
  const Json shown = tool_list(tools, kNewestVersion)["tools"][0];
  EXPECT_EQ(dump_json(shown["inputSchema"]), R"({"type":"object"})");
  EXPECT_FALSE(shown.contains("outputSchema"));
}

TEST(WithFailure, AllowsEitherTheWholeResultOrAnError) {
  const Json schema = with_failure(make_tool("look").operation.output_schema);
  EXPECT_FALSE(schema.contains("required"));
  EXPECT_EQ(dump_json(schema["anyOf"]), R"([{"required":["n"]},{"required":["error"]}])");
  EXPECT_EQ(schema["properties"]["n"]["type"], "integer");
  EXPECT_EQ(schema["properties"]["error"]["properties"]["code"]["type"], "string");
}

TEST(WithFailure, KeepsAlternativesThatTheSchemaHadAlready) {
  const Json schema = with_failure(
      Json::parse(R"({"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]})"));
  EXPECT_EQ(dump_json(schema["anyOf"]),
            R"([{"anyOf":[{"required":["a"]},{"required":["b"]}]},{"required":["error"]}])");
}

TEST(CallResult, SaysTheSameAsTextAndAsStructure) {
  const Json result = call_result(Json{{"n", 3}}, kNewestVersion);
  EXPECT_EQ(dump_json(result),
            R"({"content":[{"type":"text","text":"{\"n\":3}"}],"structuredContent":{"n":3},)"
            R"("isError":false})");
}

TEST(CallResult, LeavesStructureOutForOldClients) {
  for (const Version version : {Version::V2024_11_05, Version::V2025_03_26}) {
    const Json result = call_result(Json{{"n", 3}}, version);
    EXPECT_FALSE(result.contains("structuredContent"));
    EXPECT_EQ(result["content"][0]["text"], "{\"n\":3}");
  }
}

TEST(CallResult, MakesAFailureAResultTheModelCanRead) {
  const Json result =
      call_result(Error{Errc::NotFound, "no sandbox x", "list them"}, kNewestVersion);
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["structuredContent"]["error"]["code"], "not_found");
  EXPECT_EQ(result["content"][0]["text"], dump_json(result["structuredContent"]));
}

TEST(CallResult, KeepsValuesThatAreNoObjectsOutOfTheStructure) {
  const Json result = call_result(Json::array({1, 2}), kNewestVersion);
  EXPECT_FALSE(result.contains("structuredContent"));
  EXPECT_EQ(result["content"][0]["text"], "[1,2]");
}

TEST(UnknownTool, NamesTheNearestOne) {
  const std::vector<Tool> tools{make_tool("exec_bash"), make_tool("list_sandboxes")};
  EXPECT_EQ(unknown_tool_message(tools, "exec_bsh"),
            "no tool \"exec_bsh\"; did you mean exec_bash?");
  EXPECT_EQ(unknown_tool_message(tools, "zzz"), "no tool \"zzz\"");
}

TEST(UnknownTool, DoesNotCompareNamesOfAbsurdLength) {
  const std::vector<Tool> tools{make_tool("exec_bash")};
  EXPECT_LT(unknown_tool_message(tools, std::string(1'000'000, 'x')).size(), 200U);
}

}  // namespace
}  // namespace yonder::mcp
