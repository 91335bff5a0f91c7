// What a client sees of its calls: results, failures, many at once, cancellation, progress, the
// end.
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/text.h"
#include "mcp/calls.h"
#include "mcp/server.h"
#include "mcp/test_client.h"

namespace yonder::mcp {
namespace {

using Endings = std::vector<std::string>;

class ServerCallsTest : public ::testing::Test {
 protected:
  ServerCallsTest() { client_.initialize(); }

  FakeTools fakes_;
  TestClient client_{fakes_.tools()};
};

TEST_F(ServerCallsTest, TakesMissingAndNullArgumentsAsNone) {
  client_.request(1, "tools/call", {{"name", "echo"}});
  EXPECT_EQ(client_.result_of(1)["structuredContent"], Json::object());
  client_.request(2, "tools/call", {{"name", "echo"}, {"arguments", nullptr}});
  EXPECT_EQ(client_.result_of(2)["structuredContent"], Json::object());
}

TEST_F(ServerCallsTest, RefusesCallsThatNameNoToolOrCarryNoObject) {
  client_.request(1, "tools/call");
  EXPECT_EQ(client_.error_of(1)["code"], -32602);
  client_.request(2, "tools/call", {{"name", 5}});
  EXPECT_EQ(client_.error_of(2)["code"], -32602);
  client_.request(3, "tools/call", {{"name", "echo"}, {"arguments", {1, 2}}});
  EXPECT_EQ(client_.error_of(3)["code"], -32602);
  client_.call(4, "zzz");
  const Json error = client_.error_of(4);
  EXPECT_EQ(error["code"], -32602);
  EXPECT_EQ(error["message"], "no tool \"zzz\"");
  client_.call(5, "selekt");
  EXPECT_EQ(client_.error_of(5)["message"], "no tool \"selekt\"; did you mean select?");
}

TEST_F(ServerCallsTest, ShowsAFailureAsAResult) {
  client_.call(1, "fail");
  const Json result = client_.result_of(1);
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(dump_json(result["structuredContent"]),
            R"({"error":{"code":"not_found","message":"no sandbox gpu9",)"
            R"("hint":"see list_sandboxes","retryable":false}})");
  EXPECT_EQ(result["content"][0]["text"], dump_json(result["structuredContent"]));
}

TEST_F(ServerCallsTest, SurvivesAToolThatThrows) {
  client_.call(1, "throw");
  const Json result = client_.result_of(1);
  EXPECT_EQ(result["isError"], true);
  EXPECT_EQ(result["structuredContent"]["error"]["code"], "internal");
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerCallsTest, RemembersWhatTheClientSelected) {
  client_.call(1, "select", {{"name", "gpu1"}});
  EXPECT_EQ(client_.result_of(1)["structuredContent"]["before"], "");
  client_.call(2, "select");
  EXPECT_EQ(client_.result_of(2)["structuredContent"]["before"], "gpu1");
}

TEST_F(ServerCallsTest, LetsNoSlowCallDelayAPingOrAnotherCall) {
  client_.call(1, "wait");
  ASSERT_TRUE(fakes_.begun(1));
  EXPECT_TRUE(client_.is_quiet());
  client_.call(2, "echo");
  EXPECT_EQ(client_.result_of(2)["isError"], false);
  fakes_.open_gate();
  EXPECT_EQ(client_.result_of(1)["structuredContent"]["ended_by"], "gate");
}

TEST_F(ServerCallsTest, TellsIdsOfDifferentTypesApart) {
  client_.call(1, "wait");
  client_.call("1", "wait");
  ASSERT_TRUE(fakes_.begun(2));
  client_.cancel("1");
  EXPECT_TRUE(client_.is_quiet());
  fakes_.open_gate();
  client_.result_of(1);
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerCallsTest, RefusesAnIdThatIsStillInUseAndAllowsItAfterwards) {
  client_.call(1, "wait");
  ASSERT_TRUE(fakes_.begun(1));
  client_.call(1, "echo");
  EXPECT_EQ(client_.error_of(1)["code"], -32600);
  client_.request(1, "ping");
  EXPECT_EQ(client_.error_of(1)["code"], -32600);
  fakes_.open_gate();
  EXPECT_EQ(client_.result_of(1)["structuredContent"]["ended_by"], "gate");
  client_.call(1, "echo");
  EXPECT_EQ(client_.result_of(1)["isError"], false);
}

TEST_F(ServerCallsTest, CancelsACallAndSendsNoReplyForIt) {
  client_.call(1, "wait");
  ASSERT_TRUE(fakes_.begun(1));
  client_.cancel(1);
  EXPECT_TRUE(client_.is_quiet());
  client_.close_input();
  EXPECT_EQ(client_.receive(), nullptr);  // to the end, nothing came
  EXPECT_EQ(fakes_.endings(), Endings{"cancel"});
}

TEST_F(ServerCallsTest, IgnoresCancellationsOfWhatIsNotRunning) {
  client_.call(1, "wait");
  ASSERT_TRUE(fakes_.begun(1));
  for (const Json& id : {Json(2), Json("1"), Json(nullptr), Json("init"), Json::array({1})}) {
    client_.cancel(id);
  }
  EXPECT_TRUE(client_.is_quiet());
  EXPECT_TRUE(fakes_.endings().empty());
}

TEST_F(ServerCallsTest, RunsSixtyFourCallsAtOnceAndSaysBusyToTheNext) {
  const int most = static_cast<int>(Calls::kMaxInFlight);
  for (int id = 1; id <= most; ++id) client_.call(id, "wait");
  ASSERT_TRUE(fakes_.begun(most));
  client_.call(1000, "echo");
  const Json busy = client_.result_of(1000);
  EXPECT_EQ(busy["isError"], true);
  EXPECT_EQ(busy["structuredContent"]["error"]["retryable"], true);

  fakes_.open_gate();
  std::set<int> answered;
  for (int i = 0; i < most; ++i) answered.insert(client_.receive().value("id", 0));
  EXPECT_EQ(answered.size(), Calls::kMaxInFlight);
  client_.call(1001, "echo");
  EXPECT_EQ(client_.result_of(1001)["isError"], false);
}

TEST_F(ServerCallsTest, TakesTheNextCallAsSoonAsAReplyIsOut) {
  const int most = static_cast<int>(Calls::kMaxInFlight);
  for (int id = 1; id < most; ++id) client_.call(id, "wait");
  ASSERT_TRUE(fakes_.begun(most - 1));
  for (int id = 1000; id < 1300; ++id) {
    client_.call(id, "echo");
    ASSERT_EQ(client_.result_of(id)["isError"], false) << id;
  }
}

TEST_F(ServerCallsTest, ReportsProgressOnlyWhenAskedAndBeforeTheReply) {
  client_.call(1, "talk");
  EXPECT_EQ(client_.result_of(1)["structuredContent"]["said"], 3);

  client_.request(2, "tools/call", {{"name", "talk"}, {"_meta", {{"progressToken", "p"}}}});
  std::int64_t last = 0;
  Json message = client_.receive();
  ASSERT_EQ(message.value("method", ""), "notifications/progress");
  EXPECT_EQ(message["params"]["message"], "one");
  for (; message.contains("method"); message = client_.receive()) {
    EXPECT_EQ(message["params"]["progressToken"], "p");
    EXPECT_GT(message["params"]["progress"], last);
    last = message["params"]["progress"].get<std::int64_t>();
  }
  EXPECT_EQ(message["id"], 2);
  EXPECT_TRUE(client_.is_quiet());
}

TEST_F(ServerCallsTest, DetachesCallsAtTheEndOfTheInputAndStillSendsTheirReplies) {
  client_.call(1, "wait");
  client_.call(2, "wait");
  ASSERT_TRUE(fakes_.begun(2));
  client_.close_input();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(client_.receive()["result"]["structuredContent"]["ended_by"], "detach");
  }
  const auto ended = client_.wait_for_end();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(*ended);
  EXPECT_EQ(fakes_.endings(), (Endings{"detach", "detach"}));
}

TEST_F(ServerCallsTest, DetachesCallsWhenStopped) {
  client_.call(1, "wait");
  ASSERT_TRUE(fakes_.begun(1));
  client_.stop();
  const auto ended = client_.wait_for_end();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(*ended);
  EXPECT_EQ(fakes_.endings(), Endings{"detach"});
}

TEST_F(ServerCallsTest, EndsCleanlyWhenTheClientHasClosedTheOutput) {
  client_.call(1, "wait");
  ASSERT_TRUE(fakes_.begun(1));
  client_.close_output();
  client_.request(2, "ping");
  const auto ended = client_.wait_for_end();
  ASSERT_TRUE(ended);
  EXPECT_TRUE(*ended);
  EXPECT_EQ(fakes_.endings(), Endings{"detach"});
}

TEST_F(ServerCallsTest, DoesWhatWasAskedForThoughTheClientHasGoneWithoutReadingAReply) {
  client_.close_output();
  // In one piece: that a reply cannot be written is noticed after both were there to be read.
  const Json ping{{"jsonrpc", "2.0"}, {"id", 1}, {"method", "ping"}};
  const Json call{{"jsonrpc", "2.0"},
                  {"id", 2},
                  {"method", "tools/call"},
                  {"params", {{"name", "wait"}, {"arguments", Json::object()}}}};
  client_.send_line(concat(dump_json(ping), "\n", dump_json(call)));
  client_.close_input();
  ASSERT_TRUE(client_.wait_for_end());
  EXPECT_EQ(fakes_.endings(), Endings{"detach"});
}

TEST_F(ServerCallsTest, EndsThoughTheClientLeavesRepliesUnread) {
  const std::string big(200'000, 'x');  // more than a pipe holds
  for (int id = 1; id <= 3; ++id) client_.call(id, "echo", {{"text", big}});
  client_.close_input();
  EXPECT_TRUE(client_.wait_for_end());
}

TEST_F(ServerCallsTest, EndsThoughAClientThatHasGoneLeftTheReadersOwnRepliesUnread) {
  const std::string big(60'000, 'x');  // two of them are more than a pipe holds
  for (int id = 1; id <= 5; ++id) client_.request(id, big);
  client_.close_input();
  EXPECT_TRUE(client_.wait_for_end());
}

TEST(ServerBatchTest, LeavesACancelledCallOutOfTheArray) {
  FakeTools fakes;
  TestClient client(fakes.tools());
  client.initialize("2025-03-26");
  client.send_line(R"([{"jsonrpc":"2.0","id":1,"method":"ping"},)"
                   R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"wait"}}])");
  ASSERT_TRUE(fakes.begun(1));
  client.cancel(2);
  const Json replies = client.receive();
  ASSERT_TRUE(replies.is_array());
  ASSERT_EQ(replies.size(), 1U);
  EXPECT_EQ(replies[0]["id"], 1);
}

}  // namespace
}  // namespace yonder::mcp
