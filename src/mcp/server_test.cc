// What a client sees of the protocol: opening, messages good and bad, and what each version gets.
#include "mcp/server.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "mcp/test_client.h"

namespace yonder::mcp {
namespace {

class ServerTest : public ::testing::Test {
 protected:
  FakeTools fakes_;
  TestClient client_{fakes_.tools()};
};

class EveryVersion : public ServerTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(EveryVersion, OpensListsAndCalls) {
  const Json opened = client_.initialize(GetParam());
  EXPECT_EQ(opened["protocolVersion"], GetParam());
  EXPECT_EQ(dump_json(opened["capabilities"]), R"({"tools":{}})");
  EXPECT_EQ(opened["serverInfo"]["name"], "yonder");
  EXPECT_EQ(opened["serverInfo"]["version"], "1.2.3");
  EXPECT_EQ(opened["instructions"], "Be kind.");

  const bool structured = std::string(GetParam()) >= "2025-06-18";
  client_.request(1, "tools/list");
  const Json tool = client_.result_of(1)["tools"][0];
  EXPECT_EQ(tool["name"], "echo");
  EXPECT_EQ(tool.contains("title"), structured);
  EXPECT_EQ(tool.contains("outputSchema"), structured);
  EXPECT_EQ(tool.contains("annotations"), std::string(GetParam()) >= "2025-03-26");

  client_.call(2, "echo", {{"a", 1}});
  const Json called = client_.result_of(2);
  EXPECT_EQ(called["content"][0]["text"], R"({"a":1})");
  EXPECT_EQ(called["isError"], false);
  EXPECT_EQ(called.contains("structuredContent"), structured);
}

INSTANTIATE_TEST_SUITE_P(Legacy, EveryVersion,
                         ::testing::Values("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"));

TEST_F(ServerTest, OffersItsNewestVersionToAClientThatAsksForAnother) {
  EXPECT_EQ(client_.initialize("2099-01-01")["protocolVersion"], "2025-11-25");
}

TEST_F(ServerTest, NeedsAVersionToInitialize) {
  client_.request(1, "initialize");
  EXPECT_EQ(client_.error_of(1)["code"], -32602);
  client_.request(2, "tools/list");
  EXPECT_EQ(client_.error_of(2)["code"], -32600);
}

TEST_F(ServerTest, AnswersOnlyPingBeforeInitialize) {
  client_.request(1, "ping");
  EXPECT_EQ(client_.result_of(1), Json::object());
  client_.request(2, "tools/list");
  EXPECT_EQ(client_.error_of(2)["code"], -32600);
  client_.call(3, "echo");
  const Json error = client_.error_of(3);
  EXPECT_EQ(error["code"], -32600);
  EXPECT_EQ(error["message"], "not initialized: send initialize first");
}

TEST_F(ServerTest, DoesNotWaitForTheInitializedNotification) {
  client_.request(1, "initialize", {{"protocolVersion", "2025-11-25"}});
  client_.result_of(1);
  client_.call(2, "echo");
  EXPECT_EQ(client_.result_of(2)["isError"], false);
}

TEST_F(ServerTest, AgreesAnewWhenInitializedAgain) {
  client_.initialize("2025-11-25");
  EXPECT_EQ(client_.initialize("2024-11-05")["protocolVersion"], "2024-11-05");
  client_.call(1, "echo");
  EXPECT_FALSE(client_.result_of(1).contains("structuredContent"));
}

TEST_F(ServerTest, SendsAModernProbeBackToInitialize) {
  const Json meta{{"_meta", {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}}}};
  client_.request(1, "server/discover", meta);
  EXPECT_EQ(client_.error_of(1)["code"], -32601);
  client_.request(2, "tools/list", meta);
  EXPECT_EQ(client_.error_of(2)["code"], -32601);
  client_.request(3, "server/discover");
  EXPECT_EQ(client_.error_of(3)["code"], -32601);
  EXPECT_EQ(client_.initialize()["protocolVersion"], "2025-11-25");
}

TEST_F(ServerTest, NamesAMethodItDoesNotHave) {
  client_.initialize();
  for (const auto* method : {"resources/list", "prompts/list", "logging/setLevel", "tools/lisst"}) {
    client_.request(method, method);
    const Json error = client_.error_of(method);
    EXPECT_EQ(error["code"], -32601);
    EXPECT_NE(error["message"].get<std::string>().find(method), std::string::npos);
  }
}

TEST_F(ServerTest, IgnoresNotificationsItDoesNotKnowAndAnswersNobodyAskedFor) {
  client_.initialize();
  client_.send_line(R"({"jsonrpc":"2.0","method":"notifications/roots/list_changed"})");
  client_.send_line(R"({"jsonrpc":"2.0","method":"tools/list"})");
  client_.send_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})");
  client_.send_line(R"({"jsonrpc":"2.0","id":9,"result":{}})");
  client_.send_line(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"?"}})");
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerTest, LivesOnAfterGarbage) {
  client_.send_line("this is not JSON");
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32700);
  client_.send_line(std::string("\x00\xff\xfe{", 4));
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32700);
  client_.send_line(std::string(100'000, '['));
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32700);
  client_.send_line("42");
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32600);
  client_.send_line(R"({"jsonrpc":"2.0","id":null,"method":"ping"})");
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32600);
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerTest, SkipsALineOfMoreThan16MiBAndLivesOn) {
  const std::string piece(1U << 20U, 'x');
  std::string line = R"({"jsonrpc":"2.0","id":1,"method":")";
  for (int i = 0; i < 17; ++i) line += piece;
  client_.send_line(line);
  EXPECT_EQ(client_.error_of(1)["code"], -32600);
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerTest, TakesALineOfAMegabyte) {
  client_.initialize();
  const std::string big(1U << 20U, 'x');
  client_.call(1, "select", {{"name", big}});
  EXPECT_EQ(client_.result_of(1)["isError"], false);
}

TEST_F(ServerTest, IgnoresBlankLinesAndCarriageReturns) {
  client_.send_line("\r\n\n   \r");
  client_.send_line("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r");
  EXPECT_EQ(client_.result_of(1), Json::object());
}

TEST_F(ServerTest, HasOnePageOfTools) {
  client_.initialize();
  client_.request(1, "tools/list", {{"cursor", "2"}});
  EXPECT_EQ(client_.error_of(1)["code"], -32602);
  client_.request(2, "tools/list", {{"cursor", nullptr}});
  const Json result = client_.result_of(2);
  EXPECT_EQ(result["tools"].size(), fakes_.tools().size());
  EXPECT_FALSE(result.contains("nextCursor"));
}

TEST_F(ServerTest, AnswersABatchWithOneArrayIn2025_03_26) {
  client_.initialize("2025-03-26");
  client_.send_line(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
      R"({"jsonrpc":"2.0","method":"notifications/initialized"},7,)"
      R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}},)"
      R"({"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}])");
  const Json replies = client_.receive();
  ASSERT_TRUE(replies.is_array());
  std::map<std::string, Json> by_id;
  for (const Json& reply : replies) by_id[dump_json(reply["id"])] = reply;
  ASSERT_EQ(by_id.size(), 4U);
  EXPECT_EQ(by_id["1"]["result"], Json::object());
  EXPECT_EQ(by_id["null"]["error"]["code"], -32600);
  EXPECT_EQ(by_id["2"]["result"]["isError"], false);
  EXPECT_EQ(by_id["3"]["error"]["code"], -32600);
}

TEST_F(ServerTest, AnswersABatchOfNotificationsWithNothing) {
  client_.initialize("2025-03-26");
  client_.send_line(R"([{"jsonrpc":"2.0","method":"notifications/initialized"}])");
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerTest, RefusesBatchesInOtherVersionsAndEmptyOnesInAll) {
  const std::string batch = R"([{"jsonrpc":"2.0","id":1,"method":"ping"}])";
  client_.send_line(batch);
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32600);
  for (const auto* version : {"2024-11-05", "2025-06-18", "2025-11-25"}) {
    client_.initialize(version);
    client_.send_line(batch);
    EXPECT_EQ(client_.error_of(nullptr)["code"], -32600);
  }
  client_.initialize("2025-03-26");
  client_.send_line("[]");
  EXPECT_EQ(client_.error_of(nullptr)["code"], -32600);
}

}  // namespace
}  // namespace yonder::mcp
