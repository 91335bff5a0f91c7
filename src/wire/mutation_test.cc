#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "wire/cbor.h"
#include "wire/frame.h"
#include "wire/samples_test.h"

// Broken bytes must never do more than be refused. Sanitizers see to "never more".
namespace yonder::wire {
namespace {

constexpr int kRounds = 20000;

// Each with the number of its decoder.
std::vector<std::pair<std::string, std::size_t>> sample_messages() {
  return {{encode(sample_hello()), 0},
          {encode(sample_start()), 1},
          {encode(sample_facts()), 2},
          {encode(sample_probe()), 3},
          {encode(sample_exit()), 4},
          {encode(sample_alive()), 5},
          {encode(sample_error()), 6},
          {encode(sample_started()), 7},
          {encode(AnyRequest(sample_start())), 8},
          {encode(AnyRequest(sample_follow_request())), 8},
          {encode(AnyRequest(sample_stop())), 8},
          {encode(AnyRequest(ProbeRequest{})), 8},
          {encode(AnyRequest(sample_read_log())), 8},
          {encode(AnyRequest(sample_list())), 8},
          {encode(AnyRequest(sample_remove())), 8},
          {encode(sample_log()), 9},
          {encode(sample_waiting()), 10},
          {encode(sample_machine_facts()), 11},
          {encode(AnyRequest(sample_resources_request())), 8},
          {encode(sample_claim()), 12},
          {encode(sample_listed()), 13}};
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

bool decodes(const std::string& bytes, std::size_t as) {
  switch (as) {
    case 0: return decode_hello(bytes).has_value();
    case 1: return decode_spec(bytes).has_value();
    case 2: return decode_facts(bytes).has_value();
    case 3: return decode_probe(bytes).has_value();
    case 4: return decode_exit(bytes).has_value();
    case 5: return decode_alive(bytes).has_value();
    case 6: return !decode_error(bytes).message.empty();
    case 7: return decode_started(bytes).has_value();
    case 8: return decode_request(bytes).has_value();
    case 9: return decode_log(bytes).has_value();
    case 10: return decode_waiting(bytes).has_value();
    case 11: return decode_resources(bytes).has_value();
    case 12: return decode_claim(bytes).has_value();
    default: return decode_list(bytes).has_value();
  }
}
constexpr std::size_t kDecoders = 14;

TEST(Mutations, OfMessagesAreReadOrRefused) {
  const auto samples = sample_messages();
  Mutator mutator;
  for (int round = 0; round < kRounds; ++round) {
    const auto& [sample, decoder] = samples[mutator.below(samples.size())];
    const std::string broken = mutator.mutate(sample);
    const bool shaped = check_cbor_shape(broken).has_value();
    ASSERT_TRUE(shaped || decoder == 6 || !decodes(broken, decoder));
    if (shaped) decodes(broken, decoder);
  }
}

TEST(Mutations, OfFramesAreReadOrRefused) {
  std::string bytes;
  for (const auto& [message, decoder] : sample_messages()) {
    append_message(bytes, Kind::Reply, 3, message);
  }
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
    decodes(bytes, mutator.below(kDecoders));
  }
}

}  // namespace
}  // namespace yonder::wire
