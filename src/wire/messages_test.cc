#include "wire/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "wire/cbor.h"
#include "wire/hex_test.h"
#include "wire/samples_test.h"

namespace yonder::wire {
namespace {

using ::testing::HasSubstr;

// The bytes were made by hand from RFC 8949: maps with sorted keys, everything of definite length.
// Messages are compared with sorted keys, since their order means nothing.
constexpr std::string_view kHello =
    "ad64626173686067626f6f745f6964616f656275696c64616268636c6f636b5f6d731b0000018bcf"
    "e5680064686f6d65622f7268686f73746e616d6561686b6c6f67696e5f7368656c6c672f62696e2f"
    "73686c6f7574706f73745f70617468622f7063706964182a6973746174655f646972622f736d7374"
    "6174655f70726f626c656d606673797374656d617367757365725f69646130";
constexpr std::string_view kSpec =
    "b664617267768261786379207a6a6261636b67726f756e64f567636f6d6d616e6461636a63726561"
    "7465645f6d730763637764617e6b6465736372697074696f6e616463656e76a26141613161426066"
    "666f6c6c6f77a6686572725f66726f6d19012c64686561641a00011170686f75745f66726f6d0164"
    "7461696c056b756e74696c5f626567756ef567776169745f6d73f66867726163655f6d7319138867"
    "696e5f66726f6d1b000001000000000065696e70757462696e676b6565705f6d7320636b6579616b"
    "686c61756e636865726573636f7065686c6f675f66696c65622f6c686c6f675f66726f6d06656c6f"
    "67696ef56672756e5f696463722d616773657373696f6e61736a737464696e5f6d6f6465026a7469"
    "6d656f75745f6d731a0001d4c064746d7578f5";
constexpr std::string_view kStart =
    "b764617267768261786379207a6a6261636b67726f756e64f567636f6d6d616e6461636a63726561"
    "7465645f6d730763637764617e6b6465736372697074696f6e616463656e76a26141613161426066"
    "666f6c6c6f77a6686572725f66726f6d19012c64686561641a00011170686f75745f66726f6d0164"
    "7461696c056b756e74696c5f626567756ef567776169745f6d73f66867726163655f6d7319138867"
    "696e5f66726f6d1b000001000000000065696e70757462696e676b6565705f6d7320636b6579616b"
    "686c61756e636865726573636f7065686c6f675f66696c65622f6c686c6f675f66726f6d06656c6f"
    "67696ef5626f706573746172746672756e5f696463722d616773657373696f6e61736a737464696e"
    "5f6d6f6465026a74696d656f75745f6d731a0001d4c064746d7578f5";
constexpr std::string_view kFollow =
    "a566666f6c6c6f77a6686572725f66726f6d19012c64686561641a00011170686f75745f66726f6d"
    "01647461696c056b756e74696c5f626567756ef567776169745f6d73f667696e5f66726f6d03626f"
    "7066666f6c6c6f776672756e5f696463722d616c73747265616d5f737464696ef5";
constexpr std::string_view kStop =
    "a76867726163655f6d7300636b657960626f706473746f706770726576656e74f56672756e5f6964"
    "63722d616773657373696f6e6173667369676e616c02";
constexpr std::string_view kProbe = "a1626f706570726f6265";
constexpr std::string_view kExit =
    "a96563617573650264636f6465f66b6475726174696f6e5f6d730268656e6465645f6d73016c6c65"
    "66745f72756e6e696e6781a267636f6d6d616e6465736c65657063706964076b6d61785f7273735f"
    "6b696205667369676e616c096973797374656d5f6d730467757365725f6d7303";
constexpr std::string_view kAlive =
    "a867626f6f745f6964616f666367726f7570622f6367636f6d6d616e64a263706964036a73746172"
    "745f74696d650464686f73746168686c61756e636865726573636f7065667069645f6e73616e6a73"
    "7461727465645f6d73056a73757065727669736f72a263706964016a73746172745f74696d6502";
constexpr std::string_view kStarted = "a26765786973746564f56672756e5f696463722d61";
constexpr std::string_view kFacts =
    "ae65616c697665a867626f6f745f6964616f666367726f7570622f6367636f6d6d616e64a2637069"
    "64036a73746172745f74696d650464686f73746168686c61756e636865726573636f706566706964"
    "5f6e73616e6a737461727465645f6d73056a73757065727669736f72a263706964016a7374617274"
    "5f74696d650267626f6f745f6964616f6d636f6d6d616e645f6c69766573f5696572725f62797465"
    "73006765786973746564f56465786974f664686f73746167656c6162656caa6a6261636b67726f75"
    "6e64f567636f6d6d616e6461636a637265617465645f6d730763637764622f776b64657363726970"
    "74696f6e6164636b6579616b686c6f675f66696c65622f6c686c6f675f66726f6d06677365737369"
    "6f6e63732e316c746d75785f73657373696f6e63735f31676d656d6265727380696f75745f627974"
    "657318186770726f626c656d606c7265636f72645f666f756e64f56672756e5f696463722d617073"
    "757065727669736f725f6c69766573f4";
constexpr std::string_view kProbeReply =
    "a768636c6f636b5f6d7309686c61756e63686572616c696c696e676572696e67f566706c61636573"
    "81a56a65786563757461626c65f46a667265655f6279746573206470617468622f746770726f626c"
    "656d6170687772697461626c65f56b73797374656d645f72756e622f7564746d7578606875736572"
    "5f627573622f62";
constexpr std::string_view kReadLog =
    "aa6666696c74657261656466726f6d1a00011170646865616401656c696e657309626f7068726561"
    "645f6c6f676470617468637e2f6c6672756e5f696463722d616773657373696f6e6173647461696c"
    "0267776169745f6d7303";
constexpr std::string_view kList =
    "a46f6261636b67726f756e645f6f6e6c79f4656c696d697405626f70646c6973746f756e66696e69"
    "736865645f6f6e6c79f5";
constexpr std::string_view kRemove = "a2626f706672656d6f76656672756e5f696463722d61";
constexpr std::string_view kLog =
    "ad66657869737473f564686561646168676d617463686573056b6d6f6469666965645f6d731b0000"
    "018bcfe56800646e65787419012b6470617468622f6c6770726f626c656d61706372756eae65616c"
    "697665a867626f6f745f6964616f666367726f7570622f6367636f6d6d616e64a263706964036a73"
    "746172745f74696d650464686f73746168686c61756e636865726573636f7065667069645f6e7361"
    "6e6a737461727465645f6d73056a73757065727669736f72a263706964016a73746172745f74696d"
    "650267626f6f745f6964616f6d636f6d6d616e645f6c69766573f5696572725f6279746573006765"
    "786973746564f56465786974f664686f73746167656c6162656caa6a6261636b67726f756e64f567"
    "636f6d6d616e6461636a637265617465645f6d730763637764622f776b6465736372697074696f6e"
    "6164636b6579616b686c6f675f66696c65622f6c686c6f675f66726f6d066773657373696f6e6373"
    "2e316c746d75785f73657373696f6e63735f31676d656d6265727380696f75745f62797465731818"
    "6770726f626c656d606c7265636f72645f666f756e64f56672756e5f696463722d61707375706572"
    "7669736f725f6c69766573f46d73657373696f6e5f6c69766573f46473697a6519012c67736b6970"
    "7065640465737461727401647461696c620074";
constexpr std::string_view kListed =
    "a2646d6f7265f56472756e7381ae65616c697665a867626f6f745f6964616f666367726f7570622f"
    "6367636f6d6d616e64a263706964036a73746172745f74696d650464686f73746168686c61756e63"
    "6865726573636f7065667069645f6e73616e6a737461727465645f6d73056a73757065727669736f"
    "72a263706964016a73746172745f74696d650267626f6f745f6964616f6d636f6d6d616e645f6c69"
    "766573f5696572725f6279746573006765786973746564f56465786974f664686f73746167656c61"
    "62656caa6a6261636b67726f756e64f567636f6d6d616e6461636a637265617465645f6d73076363"
    "7764622f776b6465736372697074696f6e6164636b6579616b686c6f675f66696c65622f6c686c6f"
    "675f66726f6d066773657373696f6e63732e316c746d75785f73657373696f6e63735f31676d656d"
    "6265727380696f75745f627974657318186770726f626c656d606c7265636f72645f666f756e64f5"
    "6672756e5f696463722d617073757065727669736f725f6c69766573f4";
constexpr std::string_view kError =
    "a364636f6465696e6f745f666f756e646468696e746168676d657373616765616d";

std::string sorted_hex(const std::string& cbor) {
  std::string sorted;
  nlohmann::json::to_cbor(nlohmann::json::from_cbor(cbor), sorted);
  return to_hex(sorted);
}

TEST(Messages, HaveTheseBytes) {
  EXPECT_EQ(sorted_hex(encode(sample_hello())), kHello);
  EXPECT_EQ(sorted_hex(encode(sample_start())), kSpec);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_start()))), kStart);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_follow_request()))), kFollow);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_stop()))), kStop);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(ProbeRequest{}))), kProbe);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_read_log()))), kReadLog);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_list()))), kList);
  EXPECT_EQ(sorted_hex(encode(AnyRequest(sample_remove()))), kRemove);
  EXPECT_EQ(sorted_hex(encode(sample_exit())), kExit);
  EXPECT_EQ(sorted_hex(encode(sample_alive())), kAlive);
  EXPECT_EQ(sorted_hex(encode(sample_started())), kStarted);
  EXPECT_EQ(sorted_hex(encode(sample_facts())), kFacts);
  EXPECT_EQ(sorted_hex(encode(sample_log())), kLog);
  EXPECT_EQ(sorted_hex(encode(sample_listed())), kListed);
  EXPECT_EQ(sorted_hex(encode(sample_probe())), kProbeReply);
  EXPECT_EQ(sorted_hex(encode(sample_error())), kError);
}

// Reads the golden bytes and writes them again: every field has arrived.
template <class T>
std::string again(const Result<T>& message) {
  return message ? sorted_hex(encode(*message)) : message.error().message;
}

TEST(Messages, ComeBackWhole) {
  EXPECT_EQ(again(decode_hello(from_hex(kHello))), kHello);
  EXPECT_EQ(again(decode_spec(from_hex(kSpec))), kSpec);
  for (const auto request : {kStart, kFollow, kStop, kProbe, kReadLog, kList, kRemove}) {
    EXPECT_EQ(again(decode_request(from_hex(request))), request);
  }
  EXPECT_EQ(again(decode_exit(from_hex(kExit))), kExit);
  EXPECT_EQ(again(decode_alive(from_hex(kAlive))), kAlive);
  EXPECT_EQ(again(decode_started(from_hex(kStarted))), kStarted);
  EXPECT_EQ(again(decode_facts(from_hex(kFacts))), kFacts);
  EXPECT_EQ(again(decode_log(from_hex(kLog))), kLog);
  EXPECT_EQ(again(decode_list(from_hex(kListed))), kListed);
  EXPECT_EQ(again(decode_probe(from_hex(kProbeReply))), kProbeReply);
  EXPECT_EQ(sorted_hex(encode(decode_error(from_hex(kError)))), kError);
}

TEST(Messages, CarryAListAsLongAsTheFarSideSends) {
  ListReply reply{.runs = std::vector<RunFacts>(4000, sample_facts()), .more = true};
  const auto back = decode_list(encode(reply));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->runs.size(), reply.runs.size());
}

TEST(Messages, StopReadingAListAtItsFirstWrongItem) {
  const std::size_t items = 900000;
  std::string cbor = from_hex("a2646d6f7265f56472756e739a000dbba0") + std::string(items, '\0');
  ASSERT_TRUE(check_cbor_shape(cbor));
  const auto back = decode_list(cbor);  // in no time: a run takes a thousand times its byte
  ASSERT_FALSE(back);
  EXPECT_THAT(back.error().message, HasSubstr("is not a map"));
}

TEST(Messages, CarryAnyBytesInTheirStrings) {
  StartRequest request = sample_start();
  request.input = std::string("\0\xff\xfe\x80 \n", 6);
  request.env["BIN"] = "\xc3\x28";
  const auto back = decode_spec(encode(request));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->input, request.input);
  EXPECT_EQ(back->env, request.env);
}

TEST(Messages, NameAnUnknownErrorCodeAProtocolError) {
  const std::string bytes = encode(Error{Errc::NotFound, "m", "h"});
  std::string changed = bytes;
  changed.replace(changed.find("not_found"), 9, "new_codex");
  EXPECT_EQ(decode_error(changed).code, Errc::Protocol);
  EXPECT_EQ(decode_error(changed).message, "m");
  EXPECT_EQ(decode_error("").code, Errc::Protocol);
}

TEST(Messages, RefuseARequestWithoutAKnownOperation) {
  for (const std::string_view hex : {"a0", "a1626f7001", "a1626f706478797a7a", "80", "01", "f6"}) {
    const auto request = decode_request(from_hex(hex));
    ASSERT_FALSE(request) << hex;
    EXPECT_EQ(request.error().code, Errc::Protocol);
  }
}

// What lies on a disk may have been written by an older build.
TEST(Records, OfAnOlderBuildAreReadWithDefaults) {
  nlohmann::json alive{{"boot_id", "b"},
                       {"supervisor", {{"pid", 5}, {"start_time", 6}}},
                       {"command", {{"pid", 7}, {"start_time", 8}}},
                       {"started_ms", 9}};
  std::string bytes;
  nlohmann::json::to_cbor(alive, bytes);
  const auto read = decode_alive(bytes);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->command.pid, 7);
  EXPECT_EQ(read->launcher, "");
  alive.erase("supervisor");
  bytes.clear();
  nlohmann::json::to_cbor(alive, bytes);
  EXPECT_FALSE(decode_alive(bytes));
  bytes.clear();
  nlohmann::json::to_cbor(nlohmann::json{{"cause", 0}, {"code", 3}}, bytes);
  EXPECT_EQ(decode_exit(bytes)->code, 3);
  bytes.clear();
  nlohmann::json::to_cbor(nlohmann::json{{"code", 3}}, bytes);
  EXPECT_FALSE(decode_exit(bytes));
  EXPECT_FALSE(decode_facts(bytes));  // a message, though, is whole
}

}  // namespace
}  // namespace yonder::wire
