#include "mcp/json_rpc.h"

#include <gtest/gtest.h>

#include <string>

namespace yonder::mcp {
namespace {

Message single(std::string_view line) {
  return std::get<Message>(parse_line(line));
}

// "CODE ID" of what was refused, "" of what was not.
std::string refused(std::string_view line) {
  const Message message = single(line);
  const auto* invalid = std::get_if<Invalid>(&message);
  if (invalid == nullptr) return "";
  return std::to_string(static_cast<int>(invalid->error.code)) + " " + dump_json(invalid->id);
}

TEST(ParseLine, ReadsARequest) {
  const auto request = std::get<Request>(
      single(R"({"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":1},"extra":2})"));
  EXPECT_EQ(request.id, Json("a"));
  EXPECT_EQ(request.method, "ping");
  EXPECT_EQ(request.params, Json({{"x", 1}}));
}

TEST(ParseLine, TakesMissingAndNullParamsAsNone) {
  for (const auto* line : {R"({"jsonrpc":"2.0","id":1,"method":"ping"})",
                           R"({"jsonrpc":"2.0","id":1,"method":"ping","params":null})"}) {
    EXPECT_EQ(std::get<Request>(single(line)).params, Json::object());
  }
}

TEST(ParseLine, KeepsIdsExactly) {
  for (const std::string id : {"0", "-7", "18446744073709551615", R"("")", R"("1")", R"("ü\n")"}) {
    const auto request =
        std::get<Request>(single(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}"));
    EXPECT_EQ(dump_json(request.id), id);
  }
}

TEST(ParseLine, TakesAWholeNumberForAnIdHoweverItIsWritten) {
  for (const std::string id : {"1.0", "-3.0"}) {
    const auto request =
        std::get<Request>(single(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}"));
    EXPECT_EQ(dump_json(request.id), id);
  }
}

TEST(ParseLine, AnIdThatCanBeReadIsAnsweredThoughTheRestOfTheLineIsBad) {
  const auto with_params = [](const std::string& params) {
    return R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":)" + params + "}";
  };
  std::string keys = "{";
  for (int i = 0; i < 1001; ++i) keys += "\"k" + std::to_string(i) + "\":1,";
  keys += R"("id":9})";
  EXPECT_EQ(refused(with_params(R"({"id":3,"text":"\ud800"})")), "-32700 7");
  EXPECT_EQ(refused(with_params(keys)), "-32700 7");
  EXPECT_EQ(refused(with_params(std::string(300, '[') + std::string(300, ']'))), "-32700 7");
  EXPECT_EQ(refused(with_params("1e999")), "-32700 7");
  EXPECT_EQ(refused(R"({"method":"x","params":"\"\ud800}","id" : "a,b"})"), R"(-32700 "a,b")");
  EXPECT_EQ(refused(R"({"method":"x","params":"\ud800","id":"\ud800"})"), "-32700 null");
  EXPECT_EQ(refused(R"({"method":"x","params":["id",3,"\ud800"]})"), "-32700 null");
  EXPECT_EQ(refused(R"({"id":)"), "-32700 null");
  EXPECT_EQ(refused(R"({"id":"x)"), "-32700 null");
  EXPECT_TRUE(std::holds_alternative<Response>(single(R"({"id":7,"result":{"text":"\ud800"}})")));
}

TEST(ParseLine, RefusesOtherKindsOfIds) {
  for (const std::string id : {"null", "true", "1.5", "{}", "[1]", "99999999999999999999999"}) {
    EXPECT_EQ(refused(R"({"jsonrpc":"2.0","method":"ping","id":)" + id + "}"), "-32600 null") << id;
  }
}

TEST(ParseLine, ReadsANotificationByItsMissingId) {
  const auto note = std::get<Notification>(
      single(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":3}})"));
  EXPECT_EQ(note.method, "notifications/cancelled");
  EXPECT_EQ(note.params["requestId"], 3);
}

TEST(ParseLine, TakesEvenABrokenAnswerAsAnAnswer) {
  for (const auto* line :
       {R"({"jsonrpc":"2.0","id":1,"result":{}})", R"({"jsonrpc":"2.0","id":null,"error":{}})",
        R"({"error":"what?"})", R"({"jsonrpc":"1.0","id":{},"result":0})"}) {
    EXPECT_TRUE(std::holds_alternative<Response>(single(line))) << line;
  }
}

TEST(ParseLine, SaysWhatIsNotJson) {
  EXPECT_EQ(refused("hello"), "-32700 null");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1,)"), "-32700 1");
  EXPECT_EQ(refused(std::string(100'000, '[')), "-32700 null");
}

TEST(ParseLine, RefusesWhatIsNoRequestAndKeepsItsId) {
  EXPECT_EQ(refused("1"), "-32600 null");
  EXPECT_EQ(refused("\"ping\""), "-32600 null");
  EXPECT_EQ(refused("{}"), "-32600 null");
  EXPECT_EQ(refused(R"({"id":1,"method":"ping"})"), "-32600 1");
  EXPECT_EQ(refused(R"({"jsonrpc":"1.0","id":1,"method":"ping"})"), "-32600 1");
  EXPECT_EQ(refused(R"({"jsonrpc":2.0,"id":1,"method":"ping"})"), "-32600 1");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1})"), "-32600 1");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1,"method":7})"), "-32600 1");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","id":1,"method":"ping","params":[1]})"), "-32600 1");
  EXPECT_EQ(refused(R"({"jsonrpc":"2.0","method":1,"params":"bar"})"), "-32600 null");
}

TEST(ParseLine, ReadsEachElementOfABatch) {
  const auto batch = std::get<Batch>(parse_line(
      R"([{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"n"},3,[]])"));
  ASSERT_EQ(batch.size(), 4U);
  EXPECT_TRUE(std::holds_alternative<Request>(batch[0]));
  EXPECT_TRUE(std::holds_alternative<Notification>(batch[1]));
  EXPECT_TRUE(std::holds_alternative<Invalid>(batch[2]));
  EXPECT_TRUE(std::holds_alternative<Invalid>(batch[3]));
}

TEST(ParseLine, RefusesEmptyAndEndlessBatches) {
  EXPECT_EQ(refused("[]"), "-32600 null");
  std::string endless = "[0";
  for (int i = 0; i < 1000; ++i) endless += ",0";
  EXPECT_EQ(refused(endless + "]"), "-32600 null");
}

TEST(Replies, AreWhatTheStandardSays) {
  EXPECT_EQ(dump_json(result_reply("x", Json::object())),
            R"({"jsonrpc":"2.0","id":"x","result":{}})");
  EXPECT_EQ(dump_json(error_reply(nullptr, {RpcCode::ParseError, "bad"})),
            R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"bad"}})");
  EXPECT_EQ(dump_json(notification("n", Json::object())),
            R"({"jsonrpc":"2.0","method":"n","params":{}})");
}

TEST(InQuotes, CutsWhatIsTooLongToRepeat) {
  EXPECT_EQ(in_quotes("abc"), "\"abc\"");
  EXPECT_EQ(in_quotes(std::string(200, 'a')), "\"" + std::string(100, 'a') + "...\"");
}

}  // namespace
}  // namespace yonder::mcp
