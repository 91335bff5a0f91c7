#include "wire/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "wire/hex_test.h"
#include "wire/samples_test.h"

namespace yonder::wire {
namespace {

// The bytes were made by hand from RFC 8949: maps with sorted keys, everything of definite length.
constexpr std::string_view kHello =
    "ad64626173686067626f6f745f6964616f656275696c64616268636c6f636b5f6d731b0000018bcf"
    "e5680064686f6d65622f7268686f73746e616d6561686b6c6f67696e5f7368656c6c672f62696e2f"
    "73686c6f7574706f73745f70617468622f7063706964182a6973746174655f646972622f736d7374"
    "6174655f70726f626c656d606673797374656d617367757365725f69646130";
constexpr std::string_view kSpec =
    "ae64617267768261786379207a67636f6d6d616e64616363637764617e63656e76a2614161316142"
    "6066666f6c6c6f77a5686572725f66726f6d19012c64686561641a00011170686f75745f66726f6d"
    "01647461696c0567776169745f6d73f66867726163655f6d7319138867696e5f66726f6d1b000001"
    "000000000065696e70757462696e676b6565705f6d7320636b6579616b656c6f67696ef56672756e"
    "5f696463722d616a737464696e5f6d6f6465026a74696d656f75745f6d731a0001d4c0";
constexpr std::string_view kStart =
    "af64617267768261786379207a67636f6d6d616e64616363637764617e63656e76a2614161316142"
    "6066666f6c6c6f77a5686572725f66726f6d19012c64686561641a00011170686f75745f66726f6d"
    "01647461696c0567776169745f6d73f66867726163655f6d7319138867696e5f66726f6d1b000001"
    "000000000065696e70757462696e676b6565705f6d7320636b6579616b656c6f67696ef5626f7065"
    "73746172746672756e5f696463722d616a737464696e5f6d6f6465026a74696d656f75745f6d731a"
    "0001d4c0";
constexpr std::string_view kFollow =
    "a566666f6c6c6f77a5686572725f66726f6d19012c64686561641a00011170686f75745f66726f6d"
    "01647461696c0567776169745f6d73f667696e5f66726f6d03626f7066666f6c6c6f776672756e5f"
    "696463722d616c73747265616d5f737464696ef5";
constexpr std::string_view kStop =
    "a56867726163655f6d7300636b657960626f706473746f706770726576656e74f56672756e5f6964"
    "63722d61";
constexpr std::string_view kProbe = "a1626f706570726f6265";
constexpr std::string_view kExit =
    "a96563617573650264636f6465f66b6475726174696f6e5f6d730268656e6465645f6d73016c6c65"
    "66745f72756e6e696e6781a267636f6d6d616e6465736c65657063706964076b6d61785f7273735f"
    "6b696205667369676e616c096973797374656d5f6d730467757365725f6d7303";
constexpr std::string_view kAlive =
    "a667626f6f745f6964616f67636f6d6d616e64a263706964036a73746172745f74696d650464686f"
    "73746168667069645f6e73616e6a737461727465645f6d73056a73757065727669736f72a2637069"
    "64016a73746172745f74696d6502";
constexpr std::string_view kStarted = "a26765786973746564f56672756e5f696463722d61";
constexpr std::string_view kFacts =
    "ad65616c697665a667626f6f745f6964616f67636f6d6d616e64a263706964036a73746172745f74"
    "696d650464686f73746168667069645f6e73616e6a737461727465645f6d73056a73757065727669"
    "736f72a263706964016a73746172745f74696d650267626f6f745f6964616f6d636f6d6d616e645f"
    "6c69766573f5696572725f6279746573006765786973746564f56465786974f664686f7374616767"
    "6d656d6265727380696f75745f627974657318186770726f626c656d606c7265636f72645f666f75"
    "6e64f56672756e5f696463722d617073757065727669736f725f6c69766573f4";
constexpr std::string_view kProbeReply =
    "a568636c6f636b5f6d7309696c696e676572696e67f566706c6163657381a56a6578656375746162"
    "6c65f46a667265655f6279746573206470617468622f746770726f626c656d617068777269746162"
    "6c65f56b73797374656d645f72756e622f7564746d757860";
constexpr std::string_view kError =
    "a364636f6465696e6f745f666f756e646468696e746168676d657373616765616d";

TEST(Messages, HaveTheseBytes) {
  EXPECT_EQ(to_hex(encode(sample_hello())), kHello);
  EXPECT_EQ(to_hex(encode(sample_start())), kSpec);
  EXPECT_EQ(to_hex(encode(AnyRequest(sample_start()))), kStart);
  EXPECT_EQ(to_hex(encode(AnyRequest(sample_follow_request()))), kFollow);
  EXPECT_EQ(to_hex(encode(AnyRequest(sample_stop()))), kStop);
  EXPECT_EQ(to_hex(encode(AnyRequest(ProbeRequest{}))), kProbe);
  EXPECT_EQ(to_hex(encode(sample_exit())), kExit);
  EXPECT_EQ(to_hex(encode(sample_alive())), kAlive);
  EXPECT_EQ(to_hex(encode(sample_started())), kStarted);
  EXPECT_EQ(to_hex(encode(sample_facts())), kFacts);
  EXPECT_EQ(to_hex(encode(sample_probe())), kProbeReply);
  EXPECT_EQ(to_hex(encode(sample_error())), kError);
}

// Reads the golden bytes and writes them again: every field has arrived.
template <class T>
std::string again(const Result<T>& message) {
  return message ? to_hex(encode(*message)) : message.error().message;
}

TEST(Messages, ComeBackWhole) {
  EXPECT_EQ(again(decode_hello(from_hex(kHello))), kHello);
  EXPECT_EQ(again(decode_spec(from_hex(kSpec))), kSpec);
  for (const auto request : {kStart, kFollow, kStop, kProbe}) {
    EXPECT_EQ(again(decode_request(from_hex(request))), request);
  }
  EXPECT_EQ(again(decode_exit(from_hex(kExit))), kExit);
  EXPECT_EQ(again(decode_alive(from_hex(kAlive))), kAlive);
  EXPECT_EQ(again(decode_started(from_hex(kStarted))), kStarted);
  EXPECT_EQ(again(decode_facts(from_hex(kFacts))), kFacts);
  EXPECT_EQ(again(decode_probe(from_hex(kProbeReply))), kProbeReply);
  EXPECT_EQ(to_hex(encode(decode_error(from_hex(kError)))), kError);
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

}  // namespace
}  // namespace yonder::wire
