#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "wire/cbor_guard.h"
#include "wire/frame.h"
#include "wire/samples_test.h"

// Broken bytes must never do more than be refused. Sanitizers see to "never more".
namespace yonder::wire {
namespace {

constexpr int kRounds = 20000;

std::vector<std::string> sample_messages() {
  return {encode(sample_hello()),
          encode(AnyRequest(sample_start())),
          encode(AnyRequest(sample_follow_request())),
          encode(AnyRequest(sample_stop())),
          encode(AnyRequest(ProbeRequest{})),
          encode(sample_exit()),
          encode(sample_alive()),
          encode(sample_facts()),
          encode(sample_probe()),
          encode(sample_error())};
}

class Mutator {
 public:
  std::size_t below(std::size_t limit) {
    return limit == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  std::string mutate(std::string bytes) {
    for (std::size_t left = 1 + below(4); left > 0; --left) {
      const std::size_t at = below(bytes.size());
      const char byte = static_cast<char>(below(256));
      switch (below(6)) {
        case 0:
          if (!bytes.empty()) bytes[at] = byte;
          break;
        case 1: bytes.insert(at, 1, byte); break;
        case 2: bytes.erase(at, 1 + below(4)); break;
        case 3: bytes.resize(at); break;
        case 4: bytes.insert(at, bytes.substr(below(bytes.size()), below(16))); break;
        default:
          if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      }
    }
    return bytes;
  }

 private:
  std::mt19937 random_{20240601};  // always the same, so that a failure can be repeated
};

void decode_everything(const std::string& bytes) {
  const bool shaped = check_cbor_shape(bytes).has_value();
  const bool any = decode_hello(bytes).has_value() | decode_request(bytes).has_value() |
                   decode_facts(bytes).has_value() | decode_probe(bytes).has_value() |
                   decode_spec(bytes).has_value() | decode_exit(bytes).has_value() |
                   decode_alive(bytes).has_value();
  EXPECT_TRUE(shaped || !any);
  EXPECT_FALSE(decode_error(bytes).message.empty() && decode_error(bytes).code != Errc::NotFound &&
               decode_error(bytes).code != Errc::Protocol);
}

TEST(Mutations, OfMessagesAreReadOrRefused) {
  const auto samples = sample_messages();
  Mutator mutator;
  for (int round = 0; round < kRounds; ++round) {
    decode_everything(mutator.mutate(samples[mutator.below(samples.size())]));
  }
}

TEST(Mutations, OfFramesAreReadOrRefused) {
  std::string bytes;
  for (const auto& message : sample_messages()) append_message(bytes, Kind::Reply, 3, message);
  append_data(bytes, 4, {.channel = Channel::Out, .offset = 5}, "some bytes");
  append_frame(bytes, Kind::Credit, 5, encode_credit(77));
  append_frame(bytes, Kind::Ping, 6, "");
  Mutator mutator;
  for (int round = 0; round < kRounds; ++round) {
    const std::string broken = mutator.mutate(bytes);
    FrameParser parser;
    std::size_t payloads = 0;
    for (std::size_t at = 0; at < broken.size();) {
      const std::size_t piece = 1 + mutator.below(200);
      parser.feed(std::string_view(broken).substr(at, piece));
      at += piece;
      auto frame = parser.next();
      for (; frame && *frame; frame = parser.next()) {
        payloads += (*frame)->payload.size();
        const bool parsed = parse_data((*frame)->payload).has_value();
        const bool credited = parse_credit((*frame)->payload).has_value();
        ASSERT_TRUE(!parsed || !credited || (*frame)->payload.size() >= kDataHeaderSize);
      }
      if (!frame) break;
    }
    ASSERT_LE(payloads, broken.size());
  }
}

TEST(Mutations, OfRandomBytesAreReadOrRefused) {
  Mutator mutator;
  for (int round = 0; round < kRounds; ++round) {
    std::string bytes(mutator.below(64), '\0');
    for (char& c : bytes) c = static_cast<char>(mutator.below(256));
    decode_everything(bytes);
  }
}

}  // namespace
}  // namespace yonder::wire
